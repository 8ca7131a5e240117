import type { ChannelContext } from '@dramaturg/host';
import { acknowledged, type Attachment, receiveMessage, refused } from '@dramaturg/host/channel';
import * as z from 'zod';
import { contactOf } from './contacts.ts';

/** The kinds of files that a message can have. Spec: Telegram Bot API, `Message` */
const kinds = [
  'animation',
  'audio',
  'document',
  'sticker',
  'video',
  'video_note',
  'voice',
] as const;

const file = z.object({
  file_id: z.string(),
  mime_type: z.string().optional(),
  file_name: z.string().optional(),
  file_size: z.number().optional(),
});

const message = z.object({
  message_id: z.number(),
  chat: z.object({ id: z.number() }),
  from: z.object({ is_bot: z.boolean().optional() }).optional(),
  /** Seconds since 1970 UTC. */
  date: z.int().optional(),
  edit_date: z.int().optional(),
  reply_to_message: z.object({ text: z.string().optional() }).optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  photo: z.array(file).optional(),
  ...(Object.fromEntries(kinds.map((kind) => [kind, file.optional()])) as Record<
    (typeof kinds)[number],
    z.ZodOptional<typeof file>
  >),
});

const update = z.object({
  update_id: z.number(),
  message: message.optional(),
  edited_message: message.optional(),
});

/** Answers an update whose secret is right. */
export async function handleUpdate(
  given: Readonly<Record<string, unknown>>,
  context: ChannelContext,
): Promise<Response> {
  const parsed = update.safeParse(given);
  if (!parsed.success) return refused(400, 'The body is not an update.');
  const { message: first, edited_message: edited } = parsed.data;
  const received = first ?? edited;
  if (!received || received.from?.is_bot) return acknowledged();
  const attachments = attachmentsOf(received);
  const text = received.text ?? received.caption ?? '';
  // Service messages, such as a new member of a group.
  if (text === '' && attachments.length === 0) return acknowledged();
  const contact = contactOf(received.chat.id);
  // An edit starts no conversation.
  const place = edited ? { ...context, orStart: undefined } : context;
  return receiveMessage(place, {
    contact,
    text,
    edit: edited && `${edited.edit_date}`,
    id: `${contact}/${received.message_id}`,
    sentAt: received.date === undefined ? undefined : received.date * 1_000,
    replyTo: received.reply_to_message?.text,
    attachments,
  });
}

/** Files are named by their id: `getFile` with the token of the bot gives a link for an hour. */
function attachmentsOf(received: z.output<typeof message>): readonly Attachment[] {
  // A photo comes in several sizes, the largest last.
  const photo = received.photo?.at(-1);
  const files = kinds.flatMap((kind) => received[kind] ?? []);
  // An animation is also a document.
  const distinct = new Map(files.map((each) => [each.file_id, each] as const));
  return [
    ...(photo ? [{ ...attachmentOf(photo), type: 'image/jpeg' }] : []),
    ...Array.from(distinct.values(), attachmentOf),
  ];
}

function attachmentOf({
  file_id: id,
  mime_type,
  file_name,
  file_size,
}: z.output<typeof file>): Attachment {
  return {
    id,
    ...(mime_type === undefined ? {} : { type: mime_type }),
    ...(file_name === undefined ? {} : { name: file_name }),
    ...(file_size === undefined ? {} : { size: file_size }),
  };
}
