// Tests must find a fault in themselves, not a leftover of the one before.
import { afterEach } from 'vitest';
import { disposeAll } from './support.js';

afterEach(disposeAll);
