//! What an app lacks that is not part of it, by name: services and environment variables.

use std::collections::BTreeSet;
use std::path::Path;

use crate::detect::{Package, is_code};
use crate::stage::is_ignored;

/// A service, and what gives it away.
struct Service {
    name: &'static str,
    port: &'static str,
    /// Schemes of connection strings.
    schemes: &'static [&'static str],
    /// Names of hosts, as they are usual in compositions of containers, and what its clients say.
    words: &'static [&'static str],
    /// Packages of its clients.
    clients: &'static [&'static str],
}

const SERVICES: &[Service] = &[
    Service {
        name: "PostgreSQL",
        port: "5432",
        schemes: &["postgres://", "postgresql://"],
        words: &["ENOTFOUND postgres", "EAI_AGAIN postgres", "ENOTFOUND db", "EAI_AGAIN db"],
        clients: &["pg", "postgres", "pg-promise"],
    },
    Service {
        name: "MySQL",
        port: "3306",
        schemes: &["mysql://", "mariadb://"],
        words: &["ENOTFOUND mysql", "EAI_AGAIN mysql", "ENOTFOUND mariadb", "EAI_AGAIN mariadb"],
        clients: &["mysql", "mysql2", "mariadb"],
    },
    Service {
        name: "MongoDB",
        port: "27017",
        schemes: &["mongodb://", "mongodb+srv://"],
        words: &[
            "MongooseServerSelectionError",
            "MongoServerSelectionError",
            "MongoNetworkError",
            "_mongodb._tcp",
            "ENOTFOUND mongo",
            "EAI_AGAIN mongo",
        ],
        clients: &["mongoose", "mongodb"],
    },
    Service {
        name: "Redis",
        port: "6379",
        schemes: &["redis://", "rediss://"],
        words: &["ENOTFOUND redis", "EAI_AGAIN redis", "[ioredis]"],
        clients: &["redis", "ioredis"],
    },
    Service {
        name: "Elasticsearch",
        port: "9200",
        schemes: &[],
        words: &["ENOTFOUND elasticsearch", "EAI_AGAIN elasticsearch"],
        clients: &["@elastic/elasticsearch"],
    },
    Service {
        name: "RabbitMQ",
        port: "5672",
        schemes: &["amqp://", "amqps://"],
        words: &["ENOTFOUND rabbitmq", "EAI_AGAIN rabbitmq"],
        clients: &["amqplib"],
    },
    Service {
        name: "SQL Server",
        port: "1433",
        schemes: &["sqlserver://", "mssql://"],
        words: &[],
        clients: &["mssql", "tedious"],
    },
];

/// The service that an error message is about.
pub(crate) fn service(output: &str) -> Option<&'static str> {
    let refuses = ["ECONNREFUSED", "Can't reach database server", "ConnectionRefused", "connect ETIMEDOUT"];
    let lines = || output.lines().filter(|line| refuses.iter().any(|word| line.contains(word)));
    let by_words = |service: &&Service| service.words.iter().any(|word| output.contains(word));
    let by_place = |service: &&Service| {
        lines().any(|line| {
            let ends = |c: char| !c.is_ascii_digit();
            line.split(ends).any(|number| number == service.port)
                || service.schemes.iter().any(|scheme| line.contains(scheme))
        })
    };
    // A refused connection to its port settles it; a name may only be that of a module.
    let found = SERVICES.iter().find(by_place).or_else(|| SERVICES.iter().find(by_words));
    found.map(|service| service.name)
}

/// The only service that an app can mean, by its settings and then by the clients that it depends on.
pub(crate) fn likely_service(folder: &Path, package: Option<&Package>) -> Option<&'static str> {
    let settings: String = [".env", ".env.local", ".env.example", ".env.sample", "prisma/schema.prisma"]
        .iter()
        .filter_map(|name| std::fs::read_to_string(folder.join(name)).ok())
        .collect();
    let only = |test: &dyn Fn(&Service) -> bool| {
        let mut all = SERVICES.iter().filter(|service| test(service));
        all.next().filter(|_| all.next().is_none()).map(|service| service.name)
    };
    only(&|service| service.schemes.iter().any(|scheme| settings.contains(scheme))).or_else(|| {
        let package = package?;
        only(&|service| service.clients.iter().any(|client| package.depends_on(client).is_some()))
    })
}

/// Environment variables that an error message says are missing, in order.
pub(crate) fn variables(output: &str) -> Vec<String> {
    const SAYS: &[&str] = &[
        "is required",
        "are required",
        "is missing",
        "are missing",
        "not set",
        "must be set",
        "must be defined",
        "must be provided",
        "is not defined",
        "is undefined",
        "not provided",
        "issing required",
        "process.env",
        "env variable",
        "env var",
    ];
    let mut found: Vec<String> = Vec::new();
    // After a line about such variables a list of them may follow.
    let mut list = 0;
    for line in output.lines().filter(|line| !line.contains("ReferenceError") && !line.trim_start().starts_with("at "))
    {
        list = match line.to_ascii_lowercase().contains("environment variable") {
            true => 8,
            false => usize::saturating_sub(list, 1),
        };
        if list == 0 && !SAYS.iter().any(|word| line.contains(word)) {
            continue;
        }
        for word in line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
            if is_variable(word) && !NO_VARIABLES.contains(&word) && !found.iter().any(|known| known == word) {
                found.push(word.to_owned());
            }
        }
    }
    found
}

/// Words in capitals that are codes of errors.
const NO_VARIABLES: &[&str] = &["NODE_ENV", "MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND", "NODE_OPTIONS"];

fn is_variable(word: &str) -> bool {
    word.contains('_')
        && word.len() > 3
        && word.starts_with(|c: char| c.is_ascii_uppercase())
        && !word.ends_with('_')
        && !word.starts_with("ERR_")
        && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Environment variables that the app's code reads and that nothing sets, for messages that name none.
pub(crate) fn variables_read(folder: &Path) -> Vec<String> {
    let settings = [".env", ".env.local", ".env.production", ".env.production.local"].map(|name| folder.join(name));
    let settings: String =
        settings.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect::<Vec<_>>().join("\n");
    let set = |name: &str| {
        settings
            .lines()
            .any(|line| line.trim().strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('=')))
    };
    let mut found = BTreeSet::new();
    for text in code(folder).map(|(_, text)| text) {
        for start in ["process.env.", "import.meta.env.", "$env/static/private", "$env/static/public"] {
            for piece in text.split(start).skip(1) {
                let name: String = piece.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                if is_variable(&name) && name != "NODE_ENV" && name != "BASE_URL" && !set(&name) {
                    found.insert(name);
                }
            }
        }
    }
    found.into_iter().collect()
}

/// Environment variables that a build puts into pages and that nothing sets, by the prefixes that bundlers let through.
pub(crate) fn unset_in_pages(folder: &Path) -> Vec<String> {
    let prefixes = ["VITE_", "REACT_APP_", "NEXT_PUBLIC_", "NUXT_PUBLIC_", "PUBLIC_", "NG_APP_"];
    let mut names = variables_read(folder);
    names.retain(|name| prefixes.iter().any(|prefix| name.starts_with(prefix)) && name != "PUBLIC_URL");
    names
}

/// The app's own code: paths and texts.
pub(super) fn code(folder: &Path) -> impl Iterator<Item = (String, String)> {
    let root = folder.to_owned();
    code_paths(folder).filter_map(move |path| {
        let text = std::fs::read_to_string(root.join(&path)).ok()?;
        Some((path, text))
    })
}

/// Paths of the app's own code.
pub(super) fn code_paths(folder: &Path) -> impl Iterator<Item = String> {
    let kept = |entry: &walkdir::DirEntry| {
        let name = entry.file_name();
        entry.depth() == 0 || !(is_ignored(name) || name == "node_modules" || name == "dist")
    };
    let walk = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().filter_entry(kept).filter_map(Result::ok);
    let folder = folder.to_owned();
    walk.filter(|entry| entry.file_type().is_file() && is_code(&entry.file_name().to_string_lossy()))
        .map(move |entry| crate::detect::slashed(&crate::detect::relative(&folder, entry.path())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_named_by_what_clients_print() {
        for (output, name) in [
            ("Error: connect ECONNREFUSED 127.0.0.1:5432", Some("PostgreSQL")),
            ("PrismaClientInitializationError: Can't reach database server at `localhost:3306`", Some("MySQL")),
            (
                "MongooseServerSelectionError: connect ECONNREFUSED ::1:27017, connect ECONNREFUSED 127.0.0.1:27017",
                Some("MongoDB"),
            ),
            ("Error: querySrv ENOTFOUND _mongodb._tcp.cluster0.abc.mongodb.net", Some("MongoDB")),
            ("[ioredis] Unhandled error event: Error: connect ECONNREFUSED 127.0.0.1:6379", Some("Redis")),
            ("Error: getaddrinfo ENOTFOUND postgres", Some("PostgreSQL")),
            ("Error: connect ECONNREFUSED 127.0.0.1:3001", None),
            ("listening on 5432", None),
        ] {
            assert_eq!(service(output), name, "{output}");
        }
    }

    #[test]
    fn variables_are_named_by_what_tools_print() {
        for (output, names) in [
            ("error: Environment variable not found: DATABASE_URL.\n  -->  schema.prisma:10", &["DATABASE_URL"][..]),
            ("Error: JWT_SECRET is not defined", &["JWT_SECRET"]),
            ("The OPENAI_API_KEY environment variable is missing or empty", &["OPENAI_API_KEY"]),
            (
                "Invalid environment variables: {\n  API_URL: [ 'Required' ],\n  SECRET_KEY: [ 'Required' ]\n}",
                &["API_URL", "SECRET_KEY"],
            ),
            ("ReferenceError: API_KEY is not defined", &[]),
            ("Error: supabaseUrl is required.", &[]),
            ("code: 'MODULE_NOT_FOUND'", &[]),
        ] {
            assert_eq!(variables(output), names, "{output}");
        }
    }
}
