//! Refusals, as the ResourceManager words them.

use super::format::Format;
use crate::value::{Object, Value, json, xml};

/// Why a request comes to nothing: a `RemoteException`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub(crate) status: u16,
    /// The full name of Java's class.
    class: &'static str,
    message: Option<String>,
    /// The writer has not said which letters it uses, and says so.
    without_charset: bool,
    /// What is said besides.
    more: Vec<(&'static str, Value)>,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.message.as_deref().unwrap_or(self.class))
    }
}

impl Fault {
    fn new(status: u16, class: &'static str, message: String) -> Fault {
        Fault { status, class, message: Some(message), without_charset: false, more: Vec::new() }
    }

    pub(crate) fn not_found(message: impl std::fmt::Display) -> Fault {
        Fault::not_found_for("java.lang.Exception", message)
    }

    /// With the class of its cause.
    pub(crate) fn not_found_for(cause: &str, message: impl std::fmt::Display) -> Fault {
        Fault::new(404, "org.apache.hadoop.yarn.webapp.NotFoundException", format!("{cause}: {message}"))
    }

    pub(crate) fn bad_request(message: impl std::fmt::Display) -> Fault {
        Fault::bad_request_for("java.lang.Exception", message)
    }

    /// With the class of its cause.
    pub(crate) fn bad_request_for(cause: &str, message: impl std::fmt::Display) -> Fault {
        Fault::new(400, "org.apache.hadoop.yarn.webapp.BadRequestException", format!("{cause}: {message}"))
    }

    pub(crate) fn illegal_argument(message: impl Into<String>) -> Fault {
        Fault::new(400, "java.lang.IllegalArgumentException", message.into())
    }

    pub(crate) fn forbidden(message: impl std::fmt::Display) -> Fault {
        let message = format!("java.lang.Exception: {message}");
        Fault::new(403, "org.apache.hadoop.yarn.webapp.ForbiddenException", message)
    }

    /// What is refused for a reason of the scheduler's or of a file's: nothing was changed.
    pub(crate) fn refused(message: impl std::fmt::Display) -> Fault {
        Fault::new(400, "org.apache.hadoop.yarn.exceptions.YarnException", message.to_string())
    }

    /// The same, with one thing more.
    pub(crate) fn telling(mut self, name: &'static str, value: Value) -> Fault {
        self.more.push((name, value));
        self
    }

    /// Who asks is not known.
    pub(crate) fn unauthorized(message: impl std::fmt::Display) -> Fault {
        Fault::new(401, "org.apache.hadoop.security.authorize.AuthorizationException", message.to_string())
    }

    /// An object of somebody else's.
    pub(crate) fn no_privilege(message: impl std::fmt::Display) -> Fault {
        let message = format!("org.apache.hadoop.yarn.exceptions.YarnException: {message}");
        Fault::new(503, "javax.ws.rs.WebApplicationException", message)
    }

    /// What a text names cannot be read.
    pub(crate) fn no_input(message: impl std::fmt::Display) -> Fault {
        Fault::new(404, "java.io.IOException", message.to_string())
    }

    /// A number of the query that is none.
    pub(crate) fn no_parameter(text: &str) -> Fault {
        let message = format!("java.lang.NumberFormatException: For input string: \"{text}\"");
        Fault::new(503, "com.sun.jersey.api.ParamException$QueryParamException", message)
    }

    /// A number that stands for none of so many things.
    pub(crate) fn out_of_bounds(number: i32, length: usize) -> Fault {
        let message = format!("Index {number} out of bounds for length {length}");
        Fault::new(503, "java.lang.ArrayIndexOutOfBoundsException", message)
    }

    /// What Hadoop divides by is 0.
    pub(crate) fn by_zero() -> Fault {
        Fault::new(503, "java.lang.ArithmeticException", "/ by zero".to_owned())
    }

    /// What fails on its way.
    pub(crate) fn runtime(message: &str) -> Fault {
        Fault::new(503, "org.apache.hadoop.yarn.exceptions.YarnRuntimeException", message.to_owned())
    }

    /// What the scheduler cannot do now, whatever is asked of it.
    pub(crate) fn unavailable(message: impl std::fmt::Display) -> Fault {
        Fault::new(503, "org.apache.hadoop.yarn.exceptions.YarnException", message.to_string())
    }

    /// What is refused before an endpoint looks at it.
    pub(crate) fn of_web_application(status: u16, message: String) -> Fault {
        Fault::new(status, "javax.ws.rs.WebApplicationException", message)
    }

    /// A body that is nothing.
    pub(crate) fn unreadable(message: impl std::fmt::Display) -> Fault {
        let message = format!("javax.xml.bind.UnmarshalException\n - with linked exception:\n[{message}]");
        Fault::new(400, "javax.ws.rs.WebApplicationException", message)
    }

    /// A member that had to be there is not.
    pub(crate) fn null(what: &str) -> Fault {
        Fault::new(503, "java.lang.NullPointerException", format!("{what} is null"))
    }

    /// A refusal whose reason gets lost on its way.
    pub(crate) fn undeclared() -> Fault {
        let class = "java.lang.reflect.UndeclaredThrowableException";
        Fault { status: 503, class, message: None, without_charset: false, more: Vec::new() }
    }

    /// A time that is none.
    pub(crate) fn no_time(text: &str) -> Fault {
        let message = format!("Text '{text}' could not be parsed at index 0");
        Fault::new(503, "java.time.format.DateTimeParseException", message)
    }

    /// A number that is none.
    pub(crate) fn no_number(text: &str) -> Fault {
        Fault::new(400, "java.lang.NumberFormatException", format!("For input string: \"{text}\""))
    }

    /// No such method here, or no such content.
    pub(crate) fn not_supported() -> Fault {
        let class = "javax.ws.rs.WebApplicationException";
        Fault { status: 503, class, message: None, without_charset: true, more: Vec::new() }
    }

    /// Status, content type and body.
    pub(crate) fn written(&self, format: Format) -> (u16, Option<&'static str>, String) {
        // The servlet engine's page for it fails in XML.
        if self.status == 404 && format == Format::Xml {
            return (500, None, String::new());
        }
        let simple = self.class.rsplit(['.', '$']).next().unwrap_or(self.class);
        let mut of = Object::new()
            .with("exception", simple)
            .maybe("message", self.message.as_deref())
            .with("javaClassName", self.class);
        self.more.iter().for_each(|(name, value)| of.push(name, value.clone()));
        let of = Value::from(of);
        let (kind, body) = match format {
            Format::Json => (format.content_type(), json::natural("RemoteException", &of)),
            Format::Xml => (format.content_type(), xml::document("RemoteException", &of)),
        };
        let kind = match (self.without_charset, format) {
            (true, Format::Json) => "application/json;charset=null",
            (true, Format::Xml) => "application/xml;charset=null",
            (false, _) => kind,
        };
        (self.status, Some(kind), body)
    }
}
