//! What the frames of a zstd file hold, one after the other.

use std::error::Error;
use std::io::{self, BufRead, BufReader, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// As much as `zstd` itself takes unless it is told otherwise: the window of its highest level.
const WINDOW: u64 = 1 << 27;

/// Unpacks as it is read.
pub(super) struct Frames<R> {
    packed: BufReader<R>,
    frame: FrameDecoder,
    /// A frame has begun, and not all of it is given.
    within: bool,
}

impl<R: Read> Frames<R> {
    pub(super) fn new(packed: R) -> Frames<R> {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(WINDOW);
        Frames { packed: BufReader::new(packed), frame, within: false }
    }

    /// Begins the next frame, if there is one.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.packed.fill_buf()?.is_empty() {
            match self.frame.reset(&mut self.packed) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let skipped = io::copy(&mut (&mut self.packed).take(length.into()), &mut io::sink())?;
                    if skipped != u64::from(length) {
                        return Err(incomplete());
                    }
                }
                Err(error) => return Err(told(&error)),
            }
        }
        Ok(false)
    }

    /// After the last byte of a frame: they are those that were packed.
    fn end(&mut self) -> io::Result<()> {
        self.within = false;
        match (self.frame.get_checksum_from_data(), self.frame.get_calculated_checksum()) {
            (Some(packed), Some(unpacked)) if packed != unpacked => {
                Err(io::Error::new(io::ErrorKind::InvalidData, "the checksum of a frame is not that of its content"))
            }
            _ => Ok(()),
        }
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !buffer.is_empty() {
            if !self.within && !self.begin()? {
                return Ok(0);
            }
            self.within = true;
            while self.frame.can_collect() == 0 && !self.frame.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.frame.decode_blocks(&mut self.packed, one).map_err(|error| told(&error))?;
            }
            let length = self.frame.read(buffer)?;
            if length > 0 {
                return Ok(length);
            }
            self.end()?;
        }
        Ok(0)
    }
}

fn incomplete() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "incomplete frame")
}

/// A frame that ends too early is told of in two words. The decoder has them deep inside.
fn told(error: &FrameDecoderError) -> io::Error {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(one) = cause {
        match one.downcast_ref::<io::Error>() {
            Some(read) if read.kind() == io::ErrorKind::UnexpectedEof => return incomplete(),
            Some(read) => return io::Error::new(read.kind(), read.to_string()),
            None => cause = one.source(),
        }
    }
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By `zstd -19` and `zstd -3` of 1.5.4: `{"job.id": "a"}`, 6,000 and 4,000 times. Each ends with a checksum.
    const SIX: [u8; 36] =
        *b"\x28\xb5\x2f\xfd\x04\x68\xbd\x00\x00\x78{\"job.id\": \"a\"}\x01\x00\x7e\x5f\x92\xcf\x3a\x6b\x07\x5f\x2b";
    const FOUR: [u8; 36] =
        *b"\x28\xb5\x2f\xfd\x04\x58\xbd\x00\x00\x78{\"job.id\": \"a\"}\x01\x00\x4e\x6a\xd1\x67\x1d\x1c\xca\xd7\x80";
    /// A frame that says nothing, of two bytes.
    const PASSED: [u8; 10] = *b"\x50\x2a\x4d\x18\x02\x00\x00\x00ab";

    fn unpacked(packed: &[u8]) -> Result<Vec<u8>, String> {
        let mut all = Vec::new();
        Frames::new(packed).read_to_end(&mut all).map_err(|error| error.to_string())?;
        Ok(all)
    }

    #[test]
    fn frames_follow_each_other() {
        let packed = [&SIX[..], &PASSED, &FOUR].concat();
        assert!(unpacked(&packed) == Ok(b"{\"job.id\": \"a\"}".repeat(10_000)));
        assert_eq!(unpacked(&PASSED), Ok(Vec::new()));
    }

    #[test]
    fn what_is_cut_or_changed_is_refused() {
        for length in 1..SIX.len() {
            assert_eq!(unpacked(&SIX[..length]), Err("incomplete frame".to_owned()), "{length} bytes");
        }
        for length in 1..PASSED.len() {
            assert_eq!(unpacked(&PASSED[..length]), Err("incomplete frame".to_owned()), "{length} bytes");
        }
        let mut changed = SIX;
        changed[20] = b'!';
        assert_eq!(unpacked(&changed), Err("the checksum of a frame is not that of its content".to_owned()));
        assert!(unpacked(&[&SIX[..], b"more"].concat()).is_err());
        // A window of 256 MiB.
        assert!(unpacked(b"\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00").unwrap_err().contains("indow"));
    }
}
