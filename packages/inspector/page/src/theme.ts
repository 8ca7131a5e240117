import { useEffect, useState } from 'react';

export type Theme = 'auto' | 'light' | 'dark';

const order: readonly Theme[] = ['auto', 'light', 'dark'];
const stored = 'dramaturg-inspector-theme';

/** The colour scheme of the page, stored in the browser. */
export function useTheme(): [theme: Theme, next: () => void] {
  const [theme, setTheme] = useState<Theme>(() => {
    const known = localStorage.getItem(stored);
    return order.find((each) => each === known) ?? 'auto';
  });
  useEffect(() => {
    document.documentElement.style.colorScheme = theme === 'auto' ? 'light dark' : theme;
    localStorage.setItem(stored, theme);
  }, [theme]);
  return [theme, () => setTheme(order[(order.indexOf(theme) + 1) % order.length]!)];
}
