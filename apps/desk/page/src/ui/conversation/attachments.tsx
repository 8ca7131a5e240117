import { useEffect, useState } from 'react';
import type { Line } from '../../service/protocol.ts';
import { wording } from '../../wording.ts';
import { useDesk } from '../desk-context.ts';

interface AttachmentsProps {
  readonly instance: string;
  readonly data: Line['data'];
}

/** A file of the contact. Its fields come from outside. */
interface File {
  readonly key?: unknown;
  readonly name?: unknown;
  readonly type?: unknown;
}

/** The files of a message that the host keeps: images are shown, others are saved. */
export function Attachments({ instance, data }: AttachmentsProps) {
  const given = data?.['attachments'];
  const files = (Array.isArray(given) ? given : []) as readonly (File | null)[];
  return files.flatMap((file) =>
    typeof file?.key === 'string'
      ? [<Attachment key={file.key} instance={instance} id={file.key} file={file} />]
      : [],
  );
}

/** Types that a browser shows without running anything. */
const shownTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

function Attachment({ instance, id, file }: { instance: string; id: string; file: File }) {
  const { client, complain } = useDesk();
  const [url, setUrl] = useState<string>();
  const words = wording.conversation;
  const type = typeof file.type === 'string' ? file.type : 'file';
  const name = typeof file.name === 'string' ? file.name.slice(0, 100) : type;
  const isImage = shownTypes.includes(type);
  useEffect(() => {
    if (!isImage) return undefined;
    const reading = new AbortController();
    client.attachment(instance, id, reading.signal).then(
      (base64) => setUrl(base64 === null ? undefined : `data:${type};base64,${base64}`),
      () => {},
    );
    return () => reading.abort();
  }, [client, instance, id, type, isImage]);
  const save = async () => {
    const base64 = await client.attachment(instance, id);
    if (base64 === null) throw new Error(words.notKept(name));
    const link = document.createElement('a');
    link.href = `data:application/octet-stream;base64,${base64}`;
    link.download = name;
    link.click();
  };
  return (
    <p className="attachment">
      {url !== undefined && <img src={url} alt={name} />}
      <button type="button" className="link" onClick={() => void save().catch(complain)}>
        {words.save(name)}
      </button>
    </p>
  );
}
