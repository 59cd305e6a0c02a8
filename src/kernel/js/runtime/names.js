// Top-level names of cells: dead zones before they are initialised, what was bound when a cell failed.
(function (kernel) {
  'use strict';
  const session = {};
  const { hasOwn, is, defineProperty, getOwnPropertyDescriptor } = Object;
  kernel.session = session;
  kernel.hide('_$s', session);
  kernel.hide('_$g', globalThis);
  kernel.hide('_$at', 0);

  const target = (onSession) => (onSession ? session : globalThis);
  const deadZone = (name) => new ReferenceError(`Cannot access '${name}' before initialization`);

  /** Names of the running cell that are still in their dead zone. */
  let zone = null;
  kernel.inDeadZone = (name) => zone !== null && zone.has(name);

  const value = (name) => (hasOwn(session, name) ? session[name] : globalThis[name]);
  const guard = (name) => {
    if (kernel.inDeadZone(name)) throw deadZone(name);
  };
  kernel.hide('_$const', new Proxy(Object.create(null), {
    get: (_target, name) => value(name),
    set(_target, name) {
      guard(name);
      throw new TypeError('Assignment to constant variable.');
    },
  }));
  kernel.hide('_$early', new Proxy(Object.create(null), {
    get: (_target, name) => value(name),
    set(_target, name, next) {
      guard(name);
      (hasOwn(session, name) ? session : globalThis)[name] = next;
      return true;
    },
  }));

  const initialise = (name, onSession, next) => {
    zone?.delete(name);
    if (onSession) {
      defineProperty(session, name, { value: next, writable: true, enumerable: true, configurable: true });
    } else {
      // Not `defineProperty`: V8 makes loops over such names several times slower.
      delete globalThis[name];
      globalThis[name] = next;
    }
  };
  /** A static import's name: plain data, or a live look at the module's export. */
  kernel.bindImport = ({ local, onSession }, next, get) => {
    if (get === undefined) {
      initialise(local, onSession, next);
      return;
    }
    defineProperty(target(onSession), local, {
      configurable: true,
      enumerable: true,
      get,
      // Cells are told that it is a constant by the transform; what else assigns it gets a plain property.
      set(value) {
        initialise(local, onSession, value);
      },
    });
  };

  const open = (name, onSession) => {
    const owner = target(onSession);
    const old = getOwnPropertyDescriptor(owner, name);
    // Somebody nailed this property to the global object; a script says the same.
    if (old !== undefined && !old.configurable) throw new SyntaxError(`Identifier '${name}' has already been declared`);
    zone.set(name, { onSession, old });
    defineProperty(owner, name, {
      configurable: true,
      enumerable: true,
      get() {
        throw deadZone(name);
      },
      set(next) {
        initialise(name, onSession, next);
      },
    });
    return old;
  };

  const declare = (name, kind, onSession) => {
    const owner = target(onSession);
    const old = getOwnPropertyDescriptor(owner, name);
    if (old === undefined) {
      const start = onSession && kind === 'var' && hasOwn(globalThis, name) ? globalThis[name] : undefined;
      if (onSession) defineProperty(session, name, { value: start, writable: true, enumerable: true, configurable: true });
      else globalThis[name] = start;
    } else if (old.get !== undefined && old.configurable) {
      initialise(name, onSession, owner[name]);
    }
    return old;
  };

  const valueOf = (descriptor) => (descriptor !== undefined && 'value' in descriptor ? descriptor.value : undefined);

  /** Before main runs. */
  kernel.openNames = (run, plan) => {
    zone = new Map();
    run.before = new Map();
    for (const [name, onSession] of plan.assigned ?? []) {
      run.before.set(name, valueOf(getOwnPropertyDescriptor(target(onSession), name)));
    }
    for (const [name, kind, hasDeadZone, onSession] of plan.bindings ?? []) {
      if (kind === 'import') continue;
      const old = hasDeadZone ? open(name, onSession) : declare(name, kind, onSession);
      if (!hasDeadZone) run.before.set(name, valueOf(old));
    }
  };

  /** After main ended, however: what is still uninitialised goes back to what it was. Returns those names. */
  const closeNames = () => {
    const unset = new Set();
    for (const [name, { onSession, old }] of zone ?? []) {
      unset.add(name);
      const owner = target(onSession);
      delete owner[name];
      if (old !== undefined) defineProperty(owner, name, old);
    }
    zone = null;
    return unset;
  };
  kernel.closeNames = closeNames;

  /** On failure: the names this cell had set, and those it would have set. */
  kernel.nameReport = (run) => {
    const unset = closeNames();
    const { plan } = run;
    const bound = [];
    const notReached = [];
    const sort = (name, isBound) => (isBound ? bound : notReached).push(name);
    const reached = (name, onSession, marker) => {
      if (!run.started) return false;
      const changed = !is(valueOf(getOwnPropertyDescriptor(target(onSession), name)), run.before?.get(name));
      if (marker === 'start') return true;
      if (typeof marker === 'number' && _$at >= marker) return true;
      return changed;
    };
    for (const [name, kind, hasDeadZone, onSession, marker] of plan.bindings ?? []) {
      if (kind === 'import') sort(name, run.imported === true);
      else if (hasDeadZone) sort(name, run.started === true && !unset.has(name));
      else sort(name, reached(name, onSession, marker));
    }
    for (const [name, onSession, marker] of plan.assigned ?? []) sort(name, reached(name, onSession, marker));
    return { bound, notReached };
  };
})
