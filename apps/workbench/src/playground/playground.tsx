import { useEffect, useState } from 'react';
import { Workbench } from '../bench/workbench.tsx';
import { fromHash, type Shared, toHash } from './share.ts';

export interface PlaygroundProps {
  /** What stands there at first. */
  readonly start: Shared;
  /** Words a second; 0 is at once. */
  readonly speed: number;
  readonly detail?: 'overview' | 'full';
}

/** Any definition of any format: write, paste or drop one, see what it is and what is wrong, and talk to it. */
export function Playground({ start, speed, detail = 'overview' }: PlaygroundProps) {
  const [shared, setShared] = useState<Shared>();
  const [isOver, setIsOver] = useState(false);
  const [link, setLink] = useState<string>();
  const [trouble, setTrouble] = useState<string>();
  const put = (next: Shared) => {
    setShared(next);
    setLink(undefined);
    setTrouble(undefined);
  };
  useEffect(() => {
    // What stands there stays where an address holds no other that can be read.
    const open = async () => {
      try {
        const found = await fromHash(location.hash);
        if (found) put(found);
      } catch (error) {
        setTrouble((error as Error).message);
      }
      setShared((there) => there ?? start);
    };
    const openAgain = () => void open();
    openAgain();
    addEventListener('hashchange', openAgain);
    return () => removeEventListener('hashchange', openAgain);
  }, [start]);
  if (!shared) return null;

  const take = async (file: File) => put({ text: await file.text(), fileName: file.name });
  const share = async () => {
    try {
      const address = `${location.href.split('#')[0]!}${await toHash(shared)}`;
      history.replaceState(null, '', address);
      setLink(address);
      await navigator.clipboard?.writeText(address).catch(() => {});
    } catch (error) {
      setTrouble((error as Error).message);
    }
  };
  return (
    <div
      className="wb-drop"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        const [file] = event.dataTransfer.files;
        if (file) void take(file);
      }}
    >
      <Workbench
        text={shared.text}
        fileName={shared.fileName}
        speed={speed}
        detail={detail}
        tools={
          <>
            <label className="wb-file">
              Open a file
              <input
                type="file"
                accept=".json,.jsonc,.yaml,.yml"
                onChange={({ target: { files } }) => files?.[0] && void take(files[0])}
              />
            </label>
            <button type="button" onClick={() => void share()}>
              Share
            </button>
            {link !== undefined && (
              <input aria-label="Address of this definition" readOnly value={link} />
            )}
          </>
        }
        note={trouble}
        onChange={(text, isReplaced) => put(isReplaced ? { text } : changed(text, shared))}
      />
    </div>
  );
}

/** What was changed is that file no more, and its name does not say what it is; it is written in the same language. */
function changed(text: string, { fileName }: Shared): Shared {
  return fileName === undefined
    ? { text }
    : { text, fileName: fileName.replace(/^.*(?=\.\w+$)/, 'definition') };
}
