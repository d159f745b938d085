//! Numbers and texts in a buffer, little end first.
//!
//! | what | as |
//! | --- | --- |
//! | number | its 1, 4 or 8 bytes |
//! | bytes | how many (4), then each |
//! | text | bytes of UTF-8 |
//! | what may be missing | 1 and it, or 0 |
//! | list | how many (4), then each |
//! | resource | how many types (1), then 8 bytes of each |
//! | container | the three words of its id, 8 bytes each |

use evenweave::{ContainerId, Resource};

/// What Java has sent is not what is expected here: the two halves are of different versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed;

/// Reads a batch from front to back.
#[derive(Debug)]
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader(bytes)
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (head, tail) = self.0.split_at_checked(length).ok_or(Malformed)?;
        self.0 = tail;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        self.take(N)?.try_into().map_err(|_| Malformed)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Malformed> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    pub(crate) fn flag(&mut self) -> Result<bool, Malformed> {
        Ok(self.byte()? != 0)
    }

    pub(crate) fn int(&mut self) -> Result<i32, Malformed> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    pub(crate) fn count(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn long(&mut self) -> Result<i64, Malformed> {
        Ok(i64::from_le_bytes(self.array()?))
    }

    fn word(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let length = usize::try_from(self.count()?).map_err(|_| Malformed)?;
        self.take(length)
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, Malformed> {
        std::str::from_utf8(self.bytes()?).map_err(|_| Malformed)
    }

    pub(crate) fn maybe<T>(
        &mut self,
        read: impl FnOnce(&mut Reader<'a>) -> Result<T, Malformed>,
    ) -> Result<Option<T>, Malformed> {
        if self.flag()? { read(self).map(Some) } else { Ok(None) }
    }

    pub(crate) fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Reader<'a>) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        (0..self.count()?).map(|_| read(self)).collect()
    }

    pub(crate) fn resource(&mut self) -> Result<Resource, Malformed> {
        let mut resource = Resource::ZERO;
        for i in 0..usize::from(self.byte()?) {
            let amount = self.long()?;
            if i >= resource.amounts().len() {
                return Err(Malformed);
            }
            resource = resource.with(i, amount);
        }
        Ok(resource)
    }

    pub(crate) fn container(&mut self) -> Result<ContainerId, Malformed> {
        Ok(ContainerId::from_words([self.word()?, self.word()?, self.word()?]))
    }
}

/// Writes an answer from front to back.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
    /// How many types a resource has.
    pub(crate) types: usize,
}

impl Writer {
    pub(crate) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(crate) fn flag(&mut self, flag: bool) {
        self.byte(u8::from(flag));
    }

    pub(crate) fn int(&mut self, int: i32) {
        self.bytes.extend(int.to_le_bytes());
    }

    pub(crate) fn count(&mut self, count: u32) {
        self.bytes.extend(count.to_le_bytes());
    }

    pub(crate) fn length(&mut self, length: usize) {
        self.count(u32::try_from(length).expect("answers are shorter than 4 GiB"));
    }

    pub(crate) fn long(&mut self, long: i64) {
        self.bytes.extend(long.to_le_bytes());
    }

    pub(crate) fn float(&mut self, float: f32) {
        self.bytes.extend(float.to_le_bytes());
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.length(text.len());
        self.bytes.extend(text.as_bytes());
    }

    pub(crate) fn maybe_text(&mut self, text: Option<&str>) {
        self.flag(text.is_some());
        text.into_iter().for_each(|text| self.text(text));
    }

    pub(crate) fn resource(&mut self, resource: &Resource) {
        let types = u8::try_from(self.types).expect("types are few");
        self.byte(types);
        resource.amounts().iter().take(self.types).for_each(|amount| self.long(*amount));
    }

    pub(crate) fn container(&mut self, container: ContainerId) {
        container.to_words().into_iter().for_each(|word| self.bytes.extend(word.to_le_bytes()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let container = ContainerId::from_words([7 << 32 | 3, 5 << 32 | 1, 2 << 48 | 9]);
        let mut out = Writer { types: 2, ..Writer::default() };
        out.flag(true);
        out.int(-3);
        out.text("wéave");
        out.maybe_text(None);
        out.resource(&Resource::new(1024, 1));
        out.container(container);
        let mut read = Reader::new(&out.bytes);
        assert_eq!(read.flag(), Ok(true));
        assert_eq!(read.int(), Ok(-3));
        assert_eq!(read.text(), Ok("wéave"));
        assert_eq!(read.maybe(Reader::text), Ok(None));
        assert_eq!(read.resource(), Ok(Resource::new(1024, 1)));
        assert_eq!(read.container(), Ok(container));
        assert!(read.is_at_end());
        assert_eq!(read.byte(), Err(Malformed));
    }

    #[test]
    fn a_list_that_is_cut_off_is_malformed() {
        let mut out = Writer::default();
        out.count(u32::MAX);
        out.long(1);
        assert_eq!(Reader::new(&out.bytes).list(Reader::long), Err(Malformed));
        out.bytes.clear();
        out.length(9);
        out.byte(b'x');
        assert_eq!(Reader::new(&out.bytes).text(), Err(Malformed));
    }
}
