//! The tokens of JSON text, over bytes, without allocation.

/// A cursor over JSON text.
pub(super) struct Scanner<'a> {
    pub text: &'a str,
    pub at: usize,
}

/// One token. Ranges are in bytes of the text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Token {
    OpenArray,
    CloseArray,
    OpenObject,
    CloseObject,
    Comma,
    Colon,
    /// Quotes included.
    String,
    Number,
    /// `true`, `false`, `null`.
    Word,
    End,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub fn skip_space(&mut self) {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// The next token and the byte it starts at.
    pub fn next(&mut self) -> Result<(Token, usize), String> {
        self.skip_space();
        let start = self.at;
        let Some(&byte) = self.text.as_bytes().get(start) else {
            return Ok((Token::End, start));
        };
        let token = match byte {
            b'[' => Token::OpenArray,
            b']' => Token::CloseArray,
            b'{' => Token::OpenObject,
            b'}' => Token::CloseObject,
            b',' => Token::Comma,
            b':' => Token::Colon,
            b'"' => {
                self.string()?;
                return Ok((Token::String, start));
            }
            b'-' | b'0'..=b'9' => {
                self.number()?;
                return Ok((Token::Number, start));
            }
            _ => {
                self.word()?;
                return Ok((Token::Word, start));
            }
        };
        self.at += 1;
        Ok((token, start))
    }

    fn string(&mut self) -> Result<(), String> {
        let bytes = self.text.as_bytes();
        self.at += 1;
        loop {
            let rest = &bytes[self.at..];
            let plain = memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
            // Not `any`: this way the compiler looks at many bytes at once.
            if rest[..plain].iter().fold(u8::MAX, |least, byte| least.min(*byte)) < b' ' {
                return Err("a control character inside a string".to_owned());
            }
            self.at += plain;
            match rest.get(plain) {
                None => return Err("a string that does not end".to_owned()),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(_) => self.escape()?,
            }
        }
    }

    fn escape(&mut self) -> Result<(), String> {
        let bytes = self.text.as_bytes();
        match bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u')
                if bytes.get(self.at + 2..self.at + 6).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)) =>
            {
                self.at += 6;
            }
            _ => return Err("an escape that JSON does not know".to_owned()),
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), String> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        while matches!(bytes.get(self.at), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err("a number that ends too early".to_owned()) } else { Ok(()) }
    }

    fn number(&mut self) -> Result<(), String> {
        let bytes = self.text.as_bytes();
        if bytes[self.at] == b'-' {
            self.at += 1;
            if self.text[self.at..].starts_with("Infinity") {
                return Err("-Infinity".to_owned());
            }
        }
        if bytes.get(self.at) == Some(&b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn word(&mut self) -> Result<(), String> {
        let rest = &self.text[self.at..];
        for word in ["true", "false", "null"] {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(());
            }
        }
        for word in ["NaN", "Infinity"] {
            if rest.starts_with(word) {
                return Err(word.to_owned());
            }
        }
        let found = rest.chars().next().unwrap_or(' ');
        Err(format!("unexpected {found:?} at byte {}", self.at))
    }
}
