import { useEffect, useState } from 'react';
import { Workbench } from '../bench/workbench.tsx';
import { type Evidence, isEvidence } from '../coverage/evidence.ts';
import { fromHash, type Shared, toHash } from './share.ts';

export interface PlaygroundProps {
  /** The definition that is shown when the address contains none. */
  readonly start: Shared;
  /** Words per second; 0 means without pauses. */
  readonly speed: number;
  readonly detail?: 'overview' | 'full';
}

/** A workbench for any definition: write, paste or drop one, and its tests. */
export function Playground({ start, speed, detail = 'overview' }: PlaygroundProps) {
  const [shared, setShared] = useState<Shared>();
  const [isOver, setIsOver] = useState(false);
  const [link, setLink] = useState<string>();
  const [isCopied, setCopied] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [tests, setTests] = useState<Evidence>();
  const put = (next: Shared) => {
    setShared(next);
    setLink(undefined);
    setProblem(undefined);
  };
  useEffect(() => {
    // The current definition stays if the address contains no readable one.
    const open = async () => {
      try {
        const found = await fromHash(location.hash);
        if (found) put(found);
      } catch (error) {
        setProblem((error as Error).message);
      }
      setShared((current) => current ?? start);
    };
    const openAgain = () => void open();
    openAgain();
    addEventListener('hashchange', openAgain);
    return () => removeEventListener('hashchange', openAgain);
  }, [start]);
  if (!shared) return null;

  const openFile = async (file: File) => {
    const opened = { text: await file.text(), fileName: file.name };
    if (isEvidence(opened)) setTests(opened);
    else put(opened);
  };
  const share = async () => {
    try {
      const address = `${location.href.split('#')[0]!}${await toHash(shared)}`;
      history.replaceState(null, '', address);
      setLink(address);
      setCopied(
        await navigator.clipboard
          .writeText(address)
          .then(() => true)
          // The page may have no access to the clipboard, or no https.
          .catch(() => false),
      );
    } catch (error) {
      setProblem((error as Error).message);
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
        if (file) void openFile(file);
      }}
    >
      <Workbench
        text={shared.text}
        fileName={shared.fileName}
        speed={speed}
        detail={detail}
        tests={tests}
        tools={
          <>
            <label className="wb-file">
              Open a file
              <input
                type="file"
                accept=".json,.jsonc,.yaml,.yml"
                onChange={({ target: { files } }) => files?.[0] && void openFile(files[0])}
              />
            </label>
            <button type="button" onClick={() => void share()}>
              Share
            </button>
            {link !== undefined && (
              <>
                <input aria-label="Address of this definition" readOnly value={link} />
                <span role="status">{isCopied ? 'Copied' : 'Copy the address'}</span>
              </>
            )}
          </>
        }
        note={problem}
        onChange={(text, isReplaced) => put(isReplaced ? { text } : changed(text, shared))}
      />
    </div>
  );
}

/** An edited text gets a neutral file name, because it may now be of another format. The extension keeps its language. */
function changed(text: string, { fileName }: Shared): Shared {
  return fileName === undefined
    ? { text }
    : { text, fileName: fileName.replace(/^.*(?=\.\w+$)/, 'definition') };
}
