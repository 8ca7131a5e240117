/**
 * An object whose fields are made when they are first read. Its keys are known without making any of them: schemas that a command does
 * not use cost more time than all the rest of a short command.
 */
export function lazyFields<Makers extends Readonly<Record<string, () => unknown>>>(
  makers: Makers,
): { readonly [Name in keyof Makers]: ReturnType<Makers[Name]> } {
  const fields = {};
  for (const [name, make] of Object.entries(makers)) {
    Object.defineProperty(fields, name, {
      enumerable: true,
      configurable: true,
      get() {
        const value = make();
        Object.defineProperty(fields, name, { value, enumerable: true });
        return value;
      },
    });
  }
  return fields as { readonly [Name in keyof Makers]: ReturnType<Makers[Name]> };
}
