import { useEffect } from 'react';
import { useStored } from '../state/stored.ts';

export const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** The colours of the page, stored in this browser. */
export function useTheme(): { readonly theme: Theme; readonly setTheme: (theme: Theme) => void } {
  const [theme, setTheme] = useStored<Theme>('theme', themes);
  useEffect(() => {
    const { dataset } = document.documentElement;
    if (theme === 'auto') delete dataset['colorScheme'];
    else dataset['colorScheme'] = theme;
  }, [theme]);
  return { theme, setTheme };
}
