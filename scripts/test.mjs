// `npm test`: installs, builds and runs every test, Rust's and TypeScript's. Arguments go to vitest.
import { build, bun, currentPi, install, run, testPython } from './steps.mjs';

install();
const python = testPython();
currentPi();
bun();
const env = { ...process.env, EVALCELL_TEST_PYTHON: python };
run('Rust tests', 'cargo', ['test', '--quiet', '--all-targets'], { env });
build();
run('TypeScript tests', 'npx', ['--no-install', 'vitest', 'run', ...process.argv.slice(2)], { env });
