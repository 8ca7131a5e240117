/** An object with some of its methods replaced. */
export function overriding<Target extends object>(target: Target, own: Partial<Target>): Target {
  return new Proxy(target, {
    get(_, name) {
      const method = own[name as keyof Target] ?? target[name as keyof Target];
      return typeof method === 'function' ? method.bind(target) : method;
    },
  });
}
