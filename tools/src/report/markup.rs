//! What all pages are made of.

use std::fmt::Write as _;

/// Plots have the colours of a light page; on a dark one the sheet gives them others.
const STYLE: &str = "
:root{color-scheme:light dark;--ink:#282c34;--soft:#5b6270;--page:#f7f8fa;--card:#fff;--line:#e2e5ea;--head:#eef0f4;--bad:#b00020;--good:#00664a}
@media (prefers-color-scheme:dark){
:root{--ink:#e4e6eb;--soft:#a5adba;--page:#15171c;--card:#1e2128;--line:#363b46;--head:#292d36;--bad:#ff8a94;--good:#55d6aa}
}
body{font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif;color:var(--ink);background:var(--page);margin:0}
main{max-width:1080px;margin:0 auto;padding:2rem 1.2rem 4rem}
h1{font-size:1.6rem;margin:0 0 .2rem}
h2{font-size:1.15rem;margin:2.4rem 0 .3rem}
h1,h2,p{overflow-wrap:anywhere}
p.lead,p.note{color:var(--soft);margin:.2rem 0 1rem}
p.note{font-size:.9rem}
table+p.note{margin-top:.5rem}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(140px,1fr));gap:.8rem;margin:1.4rem 0}
.figures div{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.8rem 1rem}
.figures b{display:block;font-size:1.45rem;font-variant-numeric:tabular-nums}
.figures span{color:var(--soft);font-size:.85rem}
figure{background:var(--card);border:1px solid var(--line);border-radius:8px;margin:.6rem 0;padding:.4rem;overflow-x:auto}
figure svg{display:block;min-width:560px}
figure p{margin:.5rem 0 0 4.5rem;font-size:.9rem;font-weight:600}
figcaption{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;font-size:.85rem;padding:.2rem 1rem .4rem 4.5rem}
figcaption i{display:inline-block;width:22px;vertical-align:middle;margin-right:.4rem}
svg [fill='#FFFFFF']{fill:none}
svg [stroke='#FFFFFF']{stroke:none}
svg [fill='#282C34']{fill:var(--ink)}
svg [stroke='#282C34']{stroke:var(--ink)}
svg [stroke='#E2E5EA']{stroke:var(--line)}
table{border-collapse:collapse;display:block;width:fit-content;max-width:100%;overflow-x:auto;font-variant-numeric:tabular-nums}
th,td{background:var(--card);border:1px solid var(--line);padding:.3rem .7rem;text-align:right}
th:first-child,td:first-child,td.text{text-align:left}
th{background:var(--head);font-weight:600}
th[colspan]{text-align:center}
.narrow th,.narrow td{padding:.25rem .5rem;font-size:.9rem}
.narrow td,.narrow tr+tr th{white-space:nowrap}
.narrow tr+tr th{text-align:right;font-weight:400}
.bad{color:var(--bad);font-weight:600}
.good{color:var(--good);font-weight:600}
p.attention{border:3px solid var(--bad);border-radius:8px;background:var(--card);color:var(--bad);font-size:1.1rem;font-weight:600;padding:.8rem 1rem;margin:1rem 0}
@media (max-width:640px){main{padding:1rem .8rem 3rem}figcaption,figure p{padding-left:1rem;margin-left:0}}
";

/// Text as HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A page of this program's: head, style, and what is to be seen.
pub fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>{title}</title><style>{STYLE}</style></head>\n<body><main>\n{body}</main></body></html>\n"
    )
}

/// Adds to a page.
///
/// # Panics
/// Where what is shown cannot be.
pub fn put(body: &mut String, text: std::fmt::Arguments<'_>) {
    body.write_fmt(text).expect("a string takes everything");
}

/// Adds a section with a title, a note and what stands under them.
pub fn section(body: &mut String, title: &str, note: &str, figure: &str) {
    put(body, format_args!("<h2>{title}</h2>\n<p class=\"note\">{note}</p>\n<figure>{figure}</figure>\n"));
}
