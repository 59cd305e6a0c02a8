# Everything before a commit, in the order in which it fails fastest.
ready: format lint test

format:
    cargo fmt

lint:
    cargo clippy --all-targets -- -D warnings
    npx --no-install tsc --noEmit --project tsconfig.json
    .venv-test/bin/ruff check
    .venv-test/bin/mypy

test:
    npm test

# The addon and its generated index.js and index.d.ts.
build:
    npm run build:dev

demo:
    npm run demo

# The performance table, in a release build.
bench:
    npm run bench

# Take in changed snapshots after reading them.
snapshots:
    INSTA_UPDATE=always cargo test --quiet
