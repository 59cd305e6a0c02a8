use std::fmt::Write;

use super::super::sniff;

#[test]
fn strong_signs_of_exactly_one_language_decide() {
    let codes = [
        "#!/usr/bin/env python3\nconst = 1",
        "#!/usr/bin/node\nimport os",
        "#!/usr/bin/env -S deno run",
        "#!/bin/sh\nimport os",
        "import os",
        "import os, sys as system  # both",
        "import numpy as np\nnp.zeros(3)",
        "from pathlib import Path",
        "def f(x):\n    return x",
        "async def f():\n    pass",
        "class A:\n    pass",
        "for x in rows:\n    x",
        "if x:\n    y",
        "while True:\n    break",
        "try:\n    x\nexcept ValueError as error:\n    y",
        "with open('a') as f:\n    f.read()",
        "print('hello')",
        "print(f'{x}')\nx = None",
        "x = f\"{a}\"",
        "%timeit f()",
        "%%bash\nls && echo ${HOME}",
        "!ls -la",
        "# a comment\nx",
        "@dataclass\nclass A:\n    x: int",
        "[x for x in rows if x is not None]",
        "\"\"\"\nconst a = 1\n\"\"\"\nimport os",
        "const a = 1",
        "let a: number = 1",
        "var a = 1;",
        "const { a, b } = c",
        "import fs from 'node:fs'",
        "import { a } from \"b\"",
        "import * as a from 'b'",
        "import 'side-effect'",
        "const x = await import('fs')",
        "export const a = 1",
        "function f(x) {\n  return x\n}",
        "async function f() {}",
        "class A {\n}",
        "interface A { x: number }",
        "type A = string | number",
        "enum A { B }",
        "console.log(1)",
        "x => x + 1",
        "rows.map((row) => row.id)",
        "require('fs').readFileSync('a')",
        "if (x === 1) {\n  y\n}",
        "for (const x of rows) {\n  x\n}",
        "// a comment\nx",
        "throw new Error('x')",
        "`\nimport os\n`\nconst a = 1",
        "/*\nimport os\n*/\nlet a = 1",
        // Either language, or neither.
        "",
        "1 + 1",
        "x = 1",
        "f(x)",
        "foo.bar()",
        "print(1);",
        "await f()",
        "return 1",
        "'const a = 1'",
        "Hello, world!",
        "const a = 1\nimport os",
        "def f():\n    pass\nconsole.log(1)",
        "SELECT * FROM t",
        "===== Results =====",
    ];
    let mut table = String::new();
    for code in codes {
        let name = sniff(code).map_or("-", |language| language.name());
        let _ = writeln!(table, "{name:8}{}", code.replace('\n', "⏎"));
    }
    insta::assert_snapshot!(table);
}
