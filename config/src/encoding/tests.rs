//! What is declared decides, and where bytes are wrong is told.

use super::*;

fn text(encoding: &str, content: &[u8]) -> Result<String, (usize, usize)> {
    let declaration = format!("<?xml version='1.0' encoding = '{encoding}'?>\n");
    let read = decode(&[declaration.as_bytes(), content].concat(), "f.xml", ReadAs::Allocations);
    read.map(|read| read.text[declaration.len()..].to_owned()).map_err(|error| (error.at.line, error.at.column))
}

#[test]
fn the_declaration_decides() {
    assert_eq!(text("iso-8859-1", b"<a>\xe9</a>").unwrap(), "<a>\u{e9}</a>");
    assert_eq!(decode(b"\xff\xfea\0", "f", ReadAs::Allocations).unwrap().text, "a");
    let error = decode(b"<a>\n\xe9</a>", "f.xml", ReadAs::Allocations).unwrap_err();
    assert_eq!((error.at.line, error.at.column), (2, 1));
    let marked = b"\xef\xbb\xbf<?xml version='1.0' encoding='latin1'?>\xe9";
    assert!(decode(marked, "f", ReadAs::Allocations).unwrap().text.ends_with('\u{e9}'));
}

#[test]
fn what_is_not_in_the_declared_encoding_is_refused_with_its_place() {
    assert_eq!(text("us-ascii", b"<a>\xc3\xa9</a>"), Err((2, 4)));
    assert_eq!(text("UTF-8", b"<a>\n\xe9</a>"), Err((3, 1)));
    assert_eq!(text("IBM437", b"<a>\xe9</a>"), Err((2, 4)));
    assert_eq!(text("UTF-16", b"<a/>"), Err((1, 1)));
    assert_eq!(text("bogus", "\u{e9}".as_bytes()).unwrap(), "\u{e9}");
    for unknown in ["bogus", "", "ISO-8859-10", "ISO-8859-", "windows-1259", "UTF-7"] {
        assert!(!is_known(unknown, ReadAs::Allocations) && !is_known(unknown, ReadAs::Properties), "{unknown}");
    }
}

#[test]
fn an_end_in_the_middle_of_a_character_is_no_panic() {
    let starts: [&[u8]; 5] = [b"\xff\xfe", b"\xfe\xff", b"<\0?\0", b"\0\0\0<", b"<\0\0\0"];
    for (start, read_as) in starts.iter().flat_map(|start| [(start, ReadAs::Allocations), (start, ReadAs::Properties)])
    {
        for cut in 0..4 {
            let bytes = [start, &b"abc"[..cut]].concat();
            drop(decode(&bytes, "f", read_as));
            drop(replaced(&bytes, "f", read_as));
        }
    }
}

#[test]
fn json_is_told_by_its_zeros() {
    let units = |of: fn(u16) -> [u8; 2]| "{\u{e9}}".encode_utf16().flat_map(of).collect::<Vec<u8>>();
    let [little, big] = [units(u16::to_le_bytes), units(u16::to_be_bytes)];
    let marked = [b"\xff\xfe".as_slice(), &little].concat();
    for bytes in [&little, &big, &marked, &b"\xef\xbb\xbf{\xc3\xa9}".to_vec()] {
        assert_eq!(decode_json(bytes).unwrap(), "{\u{e9}}", "{bytes:?}");
    }
    assert_eq!(decode_json(b"{\xe9}").unwrap_err().to_string(), "it is not text in UTF-8");
    assert!(decode_json(b"").unwrap().is_empty());
}
