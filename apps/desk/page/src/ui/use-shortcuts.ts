import { useEffect, useRef } from 'react';

export type Shortcuts = Readonly<Record<string, (() => void) | undefined>>;

/** Calls a function for a single key, except while the operator types. Escape works everywhere but in a dialog. */
export function useShortcuts(shortcuts: Shortcuts, isOn: boolean): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey } = event;
      if (event.defaultPrevented || ctrlKey || metaKey || altKey) return;
      if (document.querySelector('dialog[open]')) return;
      if (key !== 'Escape' && (!isOn || isTyping(target))) return;
      const run = Object.hasOwn(latest.current, key) ? latest.current[key] : undefined;
      if (!run) return;
      event.preventDefault();
      run();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isOn]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}
