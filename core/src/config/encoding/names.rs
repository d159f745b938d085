//! The names of encodings that an XML declaration may have, by what Hadoop's two parsers make of them.
//!
//! The names are those of Java 17, as both parsers of Hadoop 3.4.2 took them (recorded in `tests/data/encodings`). A name that begins
//! with `<` is known to the parser of allocation files alone, one with `>` to that of properties alone.

use Charset::{Ascii, Elsewhere, Iso, Kept, Latin1, Pairs, Thai, Utf8, Windows};
use encoding_rs::{
    BIG5_INIT, EUC_JP_INIT, EUC_KR_INIT, Encoding, GB18030_INIT, GBK_INIT, IBM866_INIT, ISO_2022_JP_INIT,
    ISO_8859_2_INIT, ISO_8859_3_INIT, ISO_8859_4_INIT, ISO_8859_5_INIT, ISO_8859_6_INIT, ISO_8859_7_INIT,
    ISO_8859_8_INIT, ISO_8859_13_INIT, ISO_8859_15_INIT, ISO_8859_16_INIT, KOI8_R_INIT, KOI8_U_INIT, MACINTOSH_INIT,
    SHIFT_JIS_INIT, WINDOWS_874_INIT, WINDOWS_1250_INIT, WINDOWS_1251_INIT, WINDOWS_1252_INIT, WINDOWS_1253_INIT,
    WINDOWS_1254_INIT, WINDOWS_1255_INIT, WINDOWS_1256_INIT, WINDOWS_1257_INIT, WINDOWS_1258_INIT,
};

/// Whose parser reads a file. They differ in few things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::config) enum ReadAs {
    /// An allocation file: the parser for documents that comes with Java.
    Allocations,
    /// A file of properties: Woodstox.
    Properties,
}

/// An encoding whose first 128 bytes are ASCII.
#[derive(Clone, Copy, Debug)]
pub(super) enum Charset {
    Utf8,
    Latin1,
    Ascii,
    /// As encoding_rs has it.
    Kept(&'static Encoding),
    /// The same, but the bytes that it gives a control character have no character in Java.
    Windows(&'static Encoding),
    /// The same, but 0x80 to 0x9F are control characters, as in all of ISO 8859.
    Iso(&'static Encoding),
    /// TIS-620: nothing is below 0xA0.
    Thai,
    /// The part of the encoding whose characters are two bytes from 0xA1 on.
    Pairs(&'static Encoding),
    /// Java reads it, and nothing here does.
    Elsewhere,
}

/// Two or four bytes a character, and their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    Utf16Little,
    Utf16Big,
    Utf32Little,
    Utf32Big,
}

static NAMES: &[(Charset, &str)] = &[
    (Utf8, "UNICODE-1-1-UTF-8 UTF-8 UTF8 >UTF_8"),
    (
        Latin1,
        ">819 >8859_1 CP819 CSISOLATIN1 IBM-819 IBM819 ISO-8859-1 ISO-IR-100 ISO8859-1 >ISO88591 ISO8859_1 ISO_8859-1 \
         >ISO_8859-1:1987 ISO_8859_1 L1 LATIN1",
    ),
    (
        Ascii,
        ">646 ANSI_X3.4-1968 ANSI_X3.4-1986 ASCII ASCII7 CP367 CSASCII DEFAULT <IBM-367 IBM367 ISO-IR-6 ISO646-US \
         >ISO_646.IRV:1983 >ISO_646.IRV:1991 US US-ASCII",
    ),
    (
        Iso(&WINDOWS_1254_INIT),
        ">8859_9 >920 CP920 <CSISOLATIN5 IBM-920 IBM920 ISO-8859-9 ISO-IR-148 ISO8859-9 ISO8859_9 ISO_8859-9 \
         >ISO_8859-9:1989 L5 LATIN5",
    ),
    (Iso(&WINDOWS_874_INIT), "ISO-8859-11 ISO8859_11 X-ISO-8859-11"),
    (Kept(&BIG5_INIT), "BIG5 BIG5-HKSCS BIG5HK BIG5HKSCS BIG5_HKSCS CSBIG5 MS950 WINDOWS-950 X-WINDOWS-950"),
    (
        Kept(&EUC_JP_INIT),
        "<CSEUCPKDFMTJAPANESE EUC-JP EUCJIS EUCJP EUC_JP EXTENDED_UNIX_CODE_PACKED_FORMAT_FOR_JAPANESE X-EUC-JP X-EUCJP",
    ),
    (Kept(&EUC_KR_INIT), "MS949 MS_949 WINDOWS-949 WINDOWS949 X-WINDOWS-949"),
    (
        Pairs(&EUC_KR_INIT),
        ">5601 CSEUCKR <CSKSC56011987 EUC-KR EUCKR EUC_KR <ISO-IR-149 <KOREAN KSC5601 KSC5601-1987 KSC5601_1987 \
         KSC_5601 KS_C_5601-1987 <KS_C_5601-1989",
    ),
    (Kept(&GB18030_INIT), "GB18030 GB18030-2022"),
    (Kept(&GBK_INIT), "<CP936 GBK MS936 MS_936 WINDOWS-936 X-MSWIN-936"),
    (Pairs(&GBK_INIT), "CSGB2312 EUC-CN EUCCN EUC_CN GB2312 GB2312-1980 GB2312-80 X-EUC-CN"),
    (Kept(&IBM866_INIT), ">866 CP866 CSIBM866 IBM-866 IBM866"),
    (Kept(&ISO_2022_JP_INIT), "CSISO2022JP CSJISENCODING ISO-2022-JP ISO2022JP JIS JIS_ENCODING"),
    (Kept(&ISO_8859_13_INIT), ">8859_13 ISO-8859-13 ISO8859-13 ISO8859_13 ISO_8859-13"),
    (
        Kept(&ISO_8859_15_INIT),
        ">8859_15 >923 CP923 <CSISO885915 <CSISOLATIN0 <CSISOLATIN9 IBM-923 IBM923 ISO-8859-15 ISO8859-15 ISO8859_15 \
         ISO8859_15_FDIS ISO_8859-15 L9 LATIN-9 LATIN0 LATIN9",
    ),
    (
        Kept(&ISO_8859_16_INIT),
        "<CSISO885916 ISO-8859-16 ISO-IR-226 ISO8859_16 ISO_8859-16 >ISO_8859-16:2001 L10 LATIN10",
    ),
    (
        Kept(&ISO_8859_2_INIT),
        ">8859_2 >912 CP912 <CSISOLATIN2 IBM-912 IBM912 ISO-8859-2 ISO-IR-101 ISO8859-2 ISO8859_2 ISO_8859-2 \
         >ISO_8859-2:1987 L2 LATIN2",
    ),
    (
        Kept(&ISO_8859_3_INIT),
        ">8859_3 >913 CP913 <CSISOLATIN3 IBM-913 IBM913 ISO-8859-3 ISO-IR-109 ISO8859-3 ISO8859_3 ISO_8859-3 \
         >ISO_8859-3:1988 L3 LATIN3",
    ),
    (
        Kept(&ISO_8859_4_INIT),
        ">8859_4 >914 CP914 <CSISOLATIN4 IBM-914 IBM914 ISO-8859-4 ISO-IR-110 ISO8859-4 ISO8859_4 ISO_8859-4 \
         >ISO_8859-4:1988 L4 LATIN4",
    ),
    (
        Kept(&ISO_8859_5_INIT),
        ">8859_5 >915 CP915 <CSISOLATINCYRILLIC CYRILLIC IBM-915 IBM915 ISO-8859-5 ISO-IR-144 ISO8859-5 ISO8859_5 \
         ISO_8859-5 >ISO_8859-5:1988",
    ),
    (
        Kept(&ISO_8859_6_INIT),
        ">1089 >8859_6 ARABIC ASMO-708 CP1089 <CSISOLATINARABIC ECMA-114 IBM-1089 IBM1089 ISO-8859-6 ISO-IR-127 \
         ISO8859-6 ISO8859_6 ISO_8859-6 >ISO_8859-6:1987",
    ),
    (
        Kept(&ISO_8859_7_INIT),
        ">813 >8859_7 CP813 <CSISOLATINGREEK ECMA-118 ELOT_928 GREEK GREEK8 IBM-813 IBM813 ISO-8859-7 ISO-IR-126 \
         ISO8859-7 ISO8859_7 ISO_8859-7 >ISO_8859-7:1987 SUN_EU_GREEK",
    ),
    (
        Kept(&ISO_8859_8_INIT),
        ">8859_8 >916 CP916 <CSISOLATINHEBREW HEBREW IBM-916 IBM916 ISO-8859-8 <ISO-8859-8-I ISO-IR-138 ISO8859-8 \
         ISO8859_8 ISO_8859-8 >ISO_8859-8:1988",
    ),
    (Kept(&KOI8_R_INIT), "<CSKOI8R KOI8 KOI8-R KOI8_R"),
    (Kept(&KOI8_U_INIT), "KOI8-U KOI8_U"),
    (Kept(&MACINTOSH_INIT), "MACROMAN X-MACROMAN"),
    (
        Kept(&SHIFT_JIS_INIT),
        "CSSHIFTJIS <CSWINDOWS31J MS932 MS_KANJI SHIFT-JIS SHIFT_JIS SJIS WINDOWS-31J WINDOWS-932 X-SJIS",
    ),
    (Thai, "TIS-620 TIS620 TIS620.2533"),
    (Windows(&WINDOWS_1250_INIT), "<CP1250 <CP5346 WINDOWS-1250"),
    (Windows(&WINDOWS_1251_INIT), "ANSI-1251 <CP1251 <CP5347 WINDOWS-1251"),
    (Windows(&WINDOWS_1252_INIT), "CP1252 <CP5348 IBM-1252 IBM1252 WINDOWS-1252"),
    (Windows(&WINDOWS_1253_INIT), "<CP1253 <CP5349 WINDOWS-1253"),
    (Windows(&WINDOWS_1254_INIT), "<CP1254 <CP5350 WINDOWS-1254"),
    (Windows(&WINDOWS_1255_INIT), "<CP1255 WINDOWS-1255"),
    (Windows(&WINDOWS_1256_INIT), "<CP1256 WINDOWS-1256"),
    (Windows(&WINDOWS_1257_INIT), "<CP1257 <CP5353 WINDOWS-1257"),
    (Windows(&WINDOWS_1258_INIT), "<CP1258 WINDOWS-1258"),
    (Windows(&WINDOWS_874_INIT), "MS-874 MS874 WINDOWS-874 X-WINDOWS-874"),
    (
        Elsewhere,
        ">1006 >1046 >1098 >1124 >1129 >1381 >1383 >29626C >33722 >437 >737 >775 >850 >852 >855 >856 >857 >858 >860 \
         >861 >862 >863 >864 >865 >868 >869 >874 >921 >922 >932 >942 >942C >943 >943C >948 >949 >949C >950 >964 >970 \
         BIG5-HKSCS-2001 >BIG5-HKSCS:UNICODE3.0 BIG5HK-2001 BIG5HKSCS-2001 BIG5_HKSCS_2001 BIG5_SOLARIS CCSID00858 \
         CESU-8 CESU8 CNS11643 <CP-AR <CP-GR <CP-IS CP00858 CP1006 CP1046 CP1098 CP1124 CP1129 CP1381 CP1383 CP29626C \
         CP33722 CP437 <CP50220 <CP50221 CP737 CP775 CP850 CP852 CP855 CP856 CP857 CP858 CP860 CP861 CP862 CP863 CP864 \
         CP865 CP868 CP869 CP874 CP921 CP922 CP932 CP942 CP942C CP943 CP943C CP948 CP949 CP949C CP950 CP964 CP970 \
         CPEUCCN CSCESU-8 <CSHALFWIDTHKATAKANA CSIBM855 CSIBM857 CSIBM860 CSIBM861 CSIBM862 CSIBM863 CSIBM864 CSIBM865 \
         CSIBM868 CSIBM869 <CSISO13JISC6220JP <CSISO153GOST1976874 CSISO2022CN CSISO2022JP2 CSISO2022KR <CSPC775BALTIC \
         <CSPC850MULTILINGUAL <CSPC862LATINHEBREW <CSPC8CODEPAGE437 <CSPCP852 <CSPCP855 EUC-JP-LINUX EUC-TW EUCJP-OPEN \
         EUCTW EUC_JP_LINUX EUC_JP_SOLARIS EUC_TW IBM-1006 IBM-1046 IBM-1098 IBM-1124 IBM-1129 IBM-1381 IBM-1383 \
         IBM-29626C IBM-33722 IBM-33722_VASCII_VPUA IBM-437 IBM-5050 IBM-737 IBM-775 IBM-850 IBM-852 IBM-855 IBM-856 \
         IBM-857 IBM-858 IBM-860 IBM-861 IBM-862 IBM-863 IBM-864 IBM-865 IBM-868 IBM-869 IBM-874 IBM-921 IBM-922 \
         IBM-932 IBM-942 IBM-942C IBM-943 IBM-943C IBM-948 IBM-949 IBM-949C IBM-950 IBM-964 IBM-970 IBM-EUCCN IBM-EUCJP \
         IBM-EUCKR IBM-EUCTW IBM00858 IBM1006 IBM1046 IBM1098 IBM1124 IBM1129 IBM1381 IBM1383 IBM29626C IBM33722 IBM437 \
         IBM737 IBM775 IBM850 IBM852 IBM855 IBM856 IBM857 IBM858 IBM860 IBM861 IBM862 IBM863 IBM864 IBM865 IBM868 \
         IBM869 IBM874 IBM921 IBM922 IBM932 IBM942 IBM942C IBM943 IBM943C IBM948 IBM949 IBM949C IBM950 IBM964 IBM970 \
         IBMEUCCN ISCII ISCII91 ISO-2022-CN ISO-2022-CN-CNS ISO-2022-CN-GB ISO-2022-JP-2 ISO-2022-KR ISO-IR-153 \
         ISO2022CN ISO2022CN_CNS ISO2022CN_GB ISO2022JP2 ISO2022KR JIS0201 JISAUTODETECT JIS_X0201 JOHAB KSC5601-1992 \
         KSC5601_1992 MACARABIC MACCENTRALEUROPE MACCROATIAN MACCYRILLIC MACGREEK MACHEBREW MACICELAND MACROMANIA \
         MACTHAI MACTURKISH MACUKRAINE MS1361 MS50220 MS50221 MS932-0213 >MS932:2004 MS932_0213 MS950_HKSCS \
         MS950_HKSCS_XP >PC-MULTILINGUAL-850+EURO PCK >SHIFT_JIS:2004 >SHIFT_JIS_0213:2004 SJIS-0213 >SJIS:2004 \
         SJIS_0213 >SJIS_0213:2004 ST_SEV_358-88 WINDOWS-437 WINDOWS-932-0213 >WINDOWS-932:2004 WINDOWS-ISO2022JP \
         X-BIG5-HKSCS-2001 X-BIG5-SOLARIS X-EUC-JP-LINUX X-EUC-TW X-EUCJP-OPEN X-IBM1006 X-IBM1046 X-IBM1098 X-IBM1124 \
         X-IBM1129 X-IBM1381 X-IBM1383 X-IBM29626C X-IBM33722 X-IBM737 X-IBM856 X-IBM874 X-IBM921 X-IBM922 X-IBM932 \
         X-IBM942 X-IBM942C X-IBM943 X-IBM943C X-IBM948 X-IBM949 X-IBM949C X-IBM950 X-IBM964 X-IBM970 X-ISCII91 \
         X-ISO-2022-CN-CNS X-ISO-2022-CN-GB X-JISAUTODETECT X-JOHAB X-MACARABIC X-MACCENTRALEUROPE X-MACCROATIAN \
         X-MACCYRILLIC X-MACGREEK X-MACHEBREW X-MACICELAND X-MACROMANIA X-MACTHAI X-MACTURKISH X-MACUKRAINE \
         X-MS932_0213 X-MS950-HKSCS X-MS950-HKSCS-XP X-PCK X-SJIS_0213 X-WINDOWS-50220 X-WINDOWS-50221 \
         X-WINDOWS-ISO2022JP X0201",
    ),
];

/// Names that are right for bytes of that width.
static WIDE: &[(Width, &str)] = &[
    (
        Width::Utf16Little,
        ">CSUNICODE ISO-10646-UCS-2 >UCS-2 >UCS2 UNICODELITTLE UNICODELITTLEUNMARKED UTF-16 UTF-16LE >UTF16 >UTF16LE \
         >UTF_16 UTF_16LE X-UTF-16LE X-UTF-16LE-BOM >UTF-16-LE",
    ),
    (
        Width::Utf16Big,
        ">CSUNICODE ISO-10646-UCS-2 >UCS-2 >UCS2 UNICODE UNICODEBIG UNICODEBIGUNMARKED UTF-16 UTF-16BE UTF16 >UTF16BE \
         UTF_16 UTF_16BE X-UTF-16BE",
    ),
    (
        Width::Utf32Little,
        "ISO-10646-UCS-4 >UCS-4 >UCS4 >UTF-32 >UTF-32BE-BOM UTF-32LE UTF-32LE-BOM >UTF32 >UTF_32 UTF_32LE UTF_32LE_BOM \
         X-UTF-32LE X-UTF-32LE-BOM >CSUCS4",
    ),
    (
        Width::Utf32Big,
        "ISO-10646-UCS-4 >UCS-4 >UCS4 UTF-32 UTF-32BE UTF-32BE-BOM >UTF-32LE-BOM UTF32 UTF_32 UTF_32BE UTF_32BE_BOM \
         X-UTF-32BE X-UTF-32BE-BOM >CSUCS4",
    ),
];

impl ReadAs {
    fn has(self, names: &str, name: &str) -> bool {
        let mark = match self {
            ReadAs::Allocations => '<',
            ReadAs::Properties => '>',
        };
        names.split(' ').any(|known| known.strip_prefix(mark).unwrap_or(known).eq_ignore_ascii_case(name))
    }
}

impl Charset {
    pub(super) fn of(name: &str, read_as: ReadAs) -> Option<Charset> {
        NAMES.iter().find(|(_, names)| read_as.has(names, name)).map(|(charset, _)| *charset)
    }
}

impl Width {
    /// Whether a declaration in bytes of this width may name that.
    pub(super) fn is_named(self, name: &str, read_as: ReadAs) -> bool {
        WIDE.iter().any(|(width, names)| *width == self && read_as.has(names, name))
    }

    /// What people call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Width::Utf16Little => "UTF-16LE",
            Width::Utf16Big => "UTF-16BE",
            Width::Utf32Little => "UTF-32LE",
            Width::Utf32Big => "UTF-32BE",
        }
    }
}

/// Whether the name is one of UTF-16 or UTF-32, in any order of bytes.
pub(super) fn is_wide(name: &str, read_as: ReadAs) -> bool {
    WIDE.iter().any(|(_, names)| read_as.has(names, name))
}

/// Whether an XML declaration may name this encoding.
pub(in crate::config) fn is_known(name: &str, read_as: ReadAs) -> bool {
    Charset::of(name, read_as).is_some() || is_wide(name, read_as)
}
