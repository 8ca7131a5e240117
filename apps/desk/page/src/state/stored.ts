import { useCallback, useState } from 'react';

/** A setting with one of several words as its value, stored in this browser. */
export function useStored<Word extends string>(
  key: string,
  words: readonly [Word, ...(readonly Word[])],
): [word: Word, set: (word: Word) => void] {
  const name = `dramaturg-desk-${key}`;
  const [word, setWord] = useState<Word>(() => {
    const stored = localStorage.getItem(name);
    return words.find((each) => each === stored) ?? words[0];
  });
  const set = useCallback(
    (chosen: Word) => {
      localStorage.setItem(name, chosen);
      setWord(chosen);
    },
    [name],
  );
  return [word, set];
}
