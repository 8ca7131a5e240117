import { useCallback, useEffect, useState } from 'react';

const shownMs = 5_000;
const errorsMax = 3;

/** Short sentences for the operator, and errors until they are dismissed. */
export function useNotices() {
  const [said, setSaid] = useState('');
  const [errors, setErrors] = useState<readonly { readonly id: number; readonly error: unknown }[]>(
    [],
  );
  useEffect(() => {
    if (said === '') return undefined;
    const timer = setTimeout(() => setSaid(''), shownMs);
    return () => clearTimeout(timer);
  }, [said]);
  const say = useCallback((text: string) => setSaid(text), []);
  const complain = useCallback((error: unknown) => {
    setErrors((before) => [
      ...before.slice(1 - errorsMax),
      { id: (before.at(-1)?.id ?? 0) + 1, error },
    ]);
  }, []);
  const dismiss = useCallback(
    (id: number) => setErrors((before) => before.filter((each) => each.id !== id)),
    [],
  );
  return { said, errors, say, complain, dismiss };
}
