import type { JsonObject, PortCall } from '@dramaturg/compiler';
import type { AttachmentFinder } from '../options.ts';
import type { ChatModel, Message } from './chat-model.ts';

/** A file as LangChain's clients convert it for their providers. */
export type FileBlock =
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  | {
      readonly type: 'file' | 'audio';
      readonly source_type: 'base64';
      readonly mime_type: string;
      readonly data: string;
      readonly metadata: { readonly filename: string };
    };

/** The files of messages that a request contains. */
export type FileBlocks = ReadonlyMap<Message, readonly FileBlock[]>;

/** The most files of a request. */
const filesMax = 4;

/**
 * The last files of a conversation that the model takes: images, PDF and audio, by its profile. A file that cannot be found does not
 * fail the call: the text names it.
 *
 * @param find finds the address of a file; by default, the bytes that the caller of the machine keeps
 */
export async function fileBlocks(
  messages: readonly Message[],
  model: ChatModel,
  { signal, readAttachment }: PortCall,
  find: AttachmentFinder = async (file) => {
    const bytes = await readAttachment?.(file);
    return bytes && `data:${typeOf(file)};base64,${Buffer.from(bytes).toString('base64')}`;
  },
): Promise<FileBlocks> {
  const last = messages
    .flatMap((message) => (message.files ?? []).map((file) => ({ message, file })))
    .filter(({ file }) => takes(model, file))
    .slice(-filesMax);
  const found = new Map<Message, FileBlock[]>();
  for (const { message, file } of last) {
    const url = await Promise.resolve(file)
      .then((each) => find(each, { signal }))
      .catch(() => undefined);
    const block = typeof url === 'string' ? blockOf(url, file) : undefined;
    if (block) found.set(message, [...(found.get(message) ?? []), block]);
  }
  return found;
}

function takes({ profile = {}, _llmType: kind }: ChatModel, file: JsonObject): boolean {
  const type = typeOf(file);
  if (type.startsWith('image/')) return profile.imageInputs === true;
  if (type === 'application/pdf') return profile.pdfInputs === true;
  // The words of a voice message are already its text.
  if (!type.startsWith('audio/') || file['transcript'] !== undefined) return false;
  return (
    profile.audioInputs === true && (kind?.() !== 'openai' || typeForOpenAi(type) !== undefined)
  );
}

function typeOf({ type }: JsonObject): string {
  return typeof type === 'string' ? type : '';
}

/** OpenAI's client refuses other types, and knows MP3 under this name only. */
function typeForOpenAi(type: string): string | undefined {
  return { 'audio/wav': 'audio/wav', 'audio/mpeg': 'audio/mp3' }[type];
}

function blockOf(url: string, file: JsonObject): FileBlock | undefined {
  const { name } = file;
  const isImage = typeOf(file).startsWith('image/');
  if (isImage && /^(?:https:|data:image\/)/.test(url))
    return { type: 'image_url', image_url: { url } };
  const [, mime, data] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? [];
  if (isImage || mime === undefined || data === undefined) return undefined;
  return {
    type: mime.startsWith('audio/') ? 'audio' : 'file',
    source_type: 'base64',
    mime_type: typeForOpenAi(mime) ?? mime,
    data,
    metadata: { filename: typeof name === 'string' ? name.slice(0, 100) : 'file' },
  };
}
