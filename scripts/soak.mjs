// `npm run soak [rounds]`: interrupts at random moments, 6 000 of them for each way that a Python kernel is connected and for
// the whole tool. The tests run a short version of the same.
import { build, install, run, testPython } from './steps.mjs';

install();
const env = { ...process.env, EVALCELL_TEST_PYTHON: testPython(), EVALCELL_SOAK: process.argv[2] ?? '6000' };
run('Kernel', 'cargo', ['test', '--test', 'python_soak', '--', '--nocapture', '--test-threads=1'], { env });
build();
run('Tool', 'npx', ['--no-install', 'vitest', 'run', '__test__/python-stop.test.ts', '-t', 'random interrupts'], { env });
