//! UTF-16 and UTF-32: which it is, and its text.

use super::names::{ReadAs, Width};

/// How wide characters are, by a byte order mark or by the `<` (of UTF-16 `<?`) of a file without one; and what follows
/// the mark.
pub(super) fn width_of(bytes: &[u8], read_as: ReadAs) -> Option<(Width, &[u8])> {
    // The parser of allocation files takes the mark of UTF-32 for one of UTF-16, or for nothing.
    let marks_utf32 = read_as == ReadAs::Properties;
    match bytes {
        [0, 0, 0xfe, 0xff, rest @ ..] if marks_utf32 => Some((Width::Utf32Big, rest)),
        [0xff, 0xfe, 0, 0, rest @ ..] if marks_utf32 => Some((Width::Utf32Little, rest)),
        [0xfe, 0xff, rest @ ..] => Some((Width::Utf16Big, rest)),
        [0xff, 0xfe, rest @ ..] => Some((Width::Utf16Little, rest)),
        [0, 0, 0, b'<', ..] => Some((Width::Utf32Big, bytes)),
        [b'<', 0, 0, 0, ..] => Some((Width::Utf32Little, bytes)),
        [0, b'<', 0, b'?', ..] => Some((Width::Utf16Big, bytes)),
        [b'<', 0, b'?', 0, ..] => Some((Width::Utf16Little, bytes)),
        _ => None,
    }
}

/// The same of JSON, whose first character is ASCII.
pub(super) fn width_of_json(bytes: &[u8]) -> Option<(Width, &[u8])> {
    match bytes {
        [0, 0, 0xfe, 0xff, rest @ ..] => Some((Width::Utf32Big, rest)),
        [0xff, 0xfe, 0, 0, rest @ ..] => Some((Width::Utf32Little, rest)),
        [0xfe, 0xff, rest @ ..] => Some((Width::Utf16Big, rest)),
        [0xff, 0xfe, rest @ ..] => Some((Width::Utf16Little, rest)),
        [0, 0, 0, ..] => Some((Width::Utf32Big, bytes)),
        [_, 0, 0, 0, ..] => Some((Width::Utf32Little, bytes)),
        [0, _, ..] => Some((Width::Utf16Big, bytes)),
        [_, 0, ..] => Some((Width::Utf16Little, bytes)),
        _ => None,
    }
}

/// The first characters, as far as they are ASCII.
pub(super) fn ascii_head(width: Width, bytes: &[u8]) -> Vec<u8> {
    let head = &bytes[..bytes.len().min(800)];
    let ascii = |unit: u32| u8::try_from(unit).ok().filter(u8::is_ascii);
    match width {
        Width::Utf16Little | Width::Utf16Big => {
            units(head, width).map_while(|unit| ascii(u32::from(unit.ok()?))).collect()
        }
        Width::Utf32Little | Width::Utf32Big => scalars(head, width).map_while(|unit| ascii(unit.ok()?)).collect(),
    }
}

/// The text, with U+FFFD in place of what is none, and where the first such place is.
pub(super) fn decode(width: Width, bytes: &[u8]) -> (String, Option<usize>) {
    let mut text = String::with_capacity(bytes.len() / 2);
    let mut broken = None;
    let mut push = |c: Option<char>| {
        if c.is_none() {
            broken.get_or_insert(text.len());
        }
        text.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
    };
    match width {
        Width::Utf16Little | Width::Utf16Big => {
            // A half unit is no more text than half of a pair is.
            let units = units(bytes, width).map(|unit| unit.unwrap_or(0xd800));
            char::decode_utf16(units).for_each(|c| push(c.ok()));
        }
        Width::Utf32Little | Width::Utf32Big => {
            scalars(bytes, width).for_each(|scalar| push(scalar.ok().and_then(char::from_u32)));
        }
    }
    (text, broken)
}

/// Two bytes too few.
struct Cut;

fn units(bytes: &[u8], width: Width) -> impl Iterator<Item = Result<u16, Cut>> {
    let of = if width == Width::Utf16Big { u16::from_be_bytes } else { u16::from_le_bytes };
    bytes.chunks(2).map(move |chunk| chunk.try_into().map(of).map_err(|_| Cut))
}

fn scalars(bytes: &[u8], width: Width) -> impl Iterator<Item = Result<u32, Cut>> {
    let of = if width == Width::Utf32Big { u32::from_be_bytes } else { u32::from_le_bytes };
    bytes.chunks(4).map(move |chunk| chunk.try_into().map(of).map_err(|_| Cut))
}
