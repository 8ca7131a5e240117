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
  useEffect(() => {
    void fromHash(location.hash).then((found) => setShared(found ?? start));
  }, [start]);
  if (!shared) return null;

  const take = async (file: File) => setShared({ text: await file.text(), fileName: file.name });
  const share = async () => {
    const address = `${location.href.split('#')[0]!}${await toHash(shared)}`;
    history.replaceState(null, '', address);
    setLink(address);
    await navigator.clipboard?.writeText(address).catch(() => {});
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
        onChange={(text, isReplaced) => {
          setShared(isReplaced ? { text } : changed(text, shared));
          setLink(undefined);
        }}
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
