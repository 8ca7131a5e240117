declare const process: {
  getBuiltinModule(id: 'node:module'): {
    createRequire(url: string): (id: string) => unknown;
  };
};

/**
 * Loads modules when they are first needed, without a promise. Only for modules that `package.json` gives to Node alone, because
 * bundlers cannot follow it.
 *
 * @param meta of the module that loads: `import.meta`
 */
export function requireFrom(meta: object): (id: string) => unknown {
  const { url } = meta as { readonly url: string };
  return process.getBuiltinModule('node:module').createRequire(url);
}
