// `npm run demo`: installs, builds and runs the tour.
import { build, install, run } from './steps.mjs';

install();
build();
run('The tour', process.execPath, ['examples/tour.mjs']);
