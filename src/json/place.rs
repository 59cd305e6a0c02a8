//! Names of places inside a JSON value, as a person would write them in code.

/// Longest place in a message, in characters; a longer one keeps its two ends.
const MAX_PLACE_CHARACTERS: usize = 240;

/// A place that grows member by member: `args`, `args.rows`, `args.rows[3]`, `args.rows[3]["my-key"]`.
#[derive(Clone, Debug, Default)]
pub struct Place {
    text: String,
}

impl Place {
    /// `root` may be empty: then the first member stands without its dot.
    pub fn new(root: &str) -> Self {
        Self { text: root.to_owned() }
    }

    pub fn member(&mut self, key: &str) {
        if is_identifier(key) {
            if !self.text.is_empty() {
                self.text.push('.');
            }
            self.text.push_str(key);
        } else {
            self.text.push('[');
            self.text.push_str(&super::quote(key));
            self.text.push(']');
        }
    }

    pub fn index(&mut self, index: usize) {
        self.text.push('[');
        self.text.push_str(&index.to_string());
        self.text.push(']');
    }

    /// The place as text, its middle left out when it is very long.
    pub fn finish(self) -> String {
        let count = self.text.chars().count();
        if count <= MAX_PLACE_CHARACTERS {
            return self.text;
        }
        let half = MAX_PLACE_CHARACTERS / 2;
        let head: String = self.text.chars().take(half).collect();
        let tail: String = self.text.chars().skip(count - half).collect();
        format!("{head}…{tail}")
    }
}

fn is_identifier(key: &str) -> bool {
    let mut characters = key.chars();
    characters.next().is_some_and(|first| first.is_alphabetic() || first == '_' || first == '$')
        && characters.all(|next| next.is_alphanumeric() || next == '_' || next == '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_dotted_and_everything_else_is_quoted() {
        let mut place = Place::new("args");
        place.member("rows");
        place.index(3);
        place.member("my-key");
        place.member("größe");
        place.member("");
        assert_eq!(place.finish(), r#"args.rows[3]["my-key"].größe[""]"#);
    }

    #[test]
    fn a_root_without_name_leaves_no_dot() {
        let mut place = Place::new("");
        place.member("rows");
        place.index(0);
        assert_eq!(place.finish(), "rows[0]");
    }

    #[test]
    fn a_very_long_place_keeps_its_two_ends() {
        let mut place = Place::new("args");
        for _ in 0..10_000 {
            place.index(0);
        }
        place.member("end");
        let text = place.finish();
        assert!(text.chars().count() <= MAX_PLACE_CHARACTERS + 1);
        assert!(text.starts_with("args[0]") && text.ends_with("[0].end"), "{text}");
    }
}
