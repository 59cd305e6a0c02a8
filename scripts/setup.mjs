// Everything `npm test` needs, without running a test: npm packages and the Python environment of the tests.
import { bun, currentPi, install, testPython } from './steps.mjs';

install();
testPython();
currentPi();
bun();
