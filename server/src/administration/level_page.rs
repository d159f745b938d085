//! `/logLevel`: the page that `hadoop daemonlog` reads, line by line.

use super::administers;
use crate::manager::ResourceManager;
use crate::rest::errors::Fault;
use crate::rest::request::Asked;

/// Before each line that is read.
const MARKER: &str = "<!-- OUTPUT -->";

const FORMS: &str = "<hr /><h3>Get / Set</h3>\n<form>Class Name: <input type='text' size='50' name='log' /> <input type='submit' \
                     value='Get Log Level' /></form>\n<form>Class Name: <input type='text' size='50' name='log' /> Level: <input \
                     type='text' name='level' /> <input type='submit' value='Set Log Level' /></form>\n</body></html>\n";

/// # Errors
/// That the caller is no administrator.
pub(crate) fn page(of: &ResourceManager, asked: &Asked) -> Result<String, Fault> {
    administers(of, asked, "logLevel")?;
    let mut page =
        "<!DOCTYPE html>\n<html><head><title>Log Level</title></head>\n<body><h1>Log Level</h1>\n".to_owned();
    if let Some(log) = asked.query("log") {
        page.push_str("<hr /><h3>Results</h3>\n");
        for (name, value) in lines(of, log, asked.query("level")) {
            page.push_str(&format!("{MARKER}{name}<b>{}</b><br />\n", quick_xml::escape::escape(&value)));
        }
    }
    page.push_str(FORMS);
    Ok(page)
}

fn lines(of: &ResourceManager, log: &str, level: Option<&str>) -> Vec<(&'static str, String)> {
    let mut lines = vec![("Submitted Class Name: ", log.to_owned())];
    let Some(logging) = of.logging() else {
        lines.push(("The log of this server is not its own", String::new()));
        return lines;
    };
    if let Some(level) = level {
        lines.push(("Submitted Level: ", level.to_owned()));
        match logging.set_level(log, level) {
            Ok(()) => lines.push(("Setting Level to ", format!("{level} ..."))),
            Err(why) => lines.push(("Bad Level : ", why)),
        }
    }
    match logging.level(log) {
        Ok(level) => lines.push(("Effective Level: ", level)),
        Err(why) => lines.push(("Bad Class Name : ", why)),
    }
    lines
}
