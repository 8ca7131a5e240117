/** An object with some of its methods replaced. */
export function overriding<Target extends object>(target: Target, own: Partial<Target>): Target {
  const bound = new Map<PropertyKey, unknown>();
  return new Proxy(target, {
    get(_, name) {
      const known = bound.get(name);
      if (known !== undefined) return known;
      const value = own[name as keyof Target] ?? target[name as keyof Target];
      if (typeof value !== 'function') return value;
      const method: unknown = value.bind(target);
      bound.set(name, method);
      return method;
    },
  });
}
