//! What all pages are made of.

use std::fmt::Write as _;

const STYLE: &str = "
:root{color-scheme:light}
body{font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif;color:#282c34;background:#f7f8fa;margin:0}
main{max-width:920px;margin:0 auto;padding:2rem 1.2rem 4rem}
h1{font-size:1.6rem;margin:0 0 .2rem}
h2{font-size:1.15rem;margin:2.4rem 0 .3rem}
p.lead,p.note{color:#5b6270;margin:.2rem 0 1rem}
p.note{font-size:.9rem}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:.8rem;margin:1.4rem 0}
.figures div{background:#fff;border:1px solid #e2e5ea;border-radius:8px;padding:.8rem 1rem}
.figures b{display:block;font-size:1.45rem;font-variant-numeric:tabular-nums}
.figures span{color:#5b6270;font-size:.85rem}
figure{background:#fff;border:1px solid #e2e5ea;border-radius:8px;margin:.6rem 0;padding:.4rem}
figcaption{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;font-size:.85rem;padding:0 1rem .4rem 4.5rem}
figcaption i{display:inline-block;width:22px;vertical-align:middle;margin-right:.4rem}
table{border-collapse:collapse;background:#fff;width:100%;font-variant-numeric:tabular-nums}
th,td{border:1px solid #e2e5ea;padding:.3rem .7rem;text-align:right}
th:first-child,td:first-child,td.text{text-align:left}
th{background:#eef0f4;font-weight:600}
.bad{color:#b00020;font-weight:600}
.good{color:#00664a;font-weight:600}
";

/// Text as HTML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A page of this program's: head, style, and what is to be seen.
pub(crate) fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>{title}</title><style>{STYLE}</style></head>\n<body><main>\n{body}</main></body></html>\n"
    )
}

pub(super) fn put(body: &mut String, text: std::fmt::Arguments<'_>) {
    body.write_fmt(text).expect("a string takes everything");
}

pub(super) fn section(body: &mut String, title: &str, note: &str, figure: &str) {
    put(body, format_args!("<h2>{title}</h2>\n<p class=\"note\">{note}</p>\n<figure>{figure}</figure>\n"));
}
