import { useCallback, useSyncExternalStore } from 'react';
import { addressOf, type Route, routeOf } from './route.ts';

const observers = new Set<() => void>();
let last: { readonly href: string; readonly route: Route } | undefined;

/** The route in the address bar, and a function that changes it. */
export function useRoute(): [route: Route, go: (route: Route, how?: 'push' | 'replace') => void] {
  const route = useSyncExternalStore(observe, current);
  const go = useCallback((to: Route, how: 'push' | 'replace' = 'push') => {
    const address = addressOf(to);
    if (address === location.pathname + location.search) return;
    if (how === 'push') history.pushState(null, '', address);
    else history.replaceState(null, '', address);
    for (const observer of observers) observer();
  }, []);
  return [route, go];
}

function observe(observer: () => void): () => void {
  observers.add(observer);
  window.addEventListener('popstate', observer);
  return () => {
    observers.delete(observer);
    window.removeEventListener('popstate', observer);
  };
}

function current(): Route {
  const { href, pathname, search } = location;
  if (last?.href !== href) last = { href, route: routeOf(pathname, search) };
  return last.route;
}
