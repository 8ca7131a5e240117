import {
  type ChannelContext,
  type HttpChannel,
  type OutgoingMessage,
  RejectedError,
} from '@dramaturg/host';
import { usualQuietWindow } from '@dramaturg/host/channel';
import { ChatRoutes, messageBytesMax } from './chat-routes.ts';
import { checkOptions, type WebChannelOptions } from './options.ts';

/**
 * Creates a channel for visitors of a website: a page, a script that puts a chat on other pages, and the routes that both use.
 *
 * A message is delivered when it is stored, because the visitor's page reads it from the store: immediately when it is open, or
 * when it is opened again.
 *
 * @throws TypeError when the options are not valid, or no secret is set
 */
export function webChannel(options: WebChannelOptions = {}): HttpChannel {
  const checked = checkOptions(options, process.env);
  const routes = new ChatRoutes(checked);
  return {
    deliver,
    settle: usualQuietWindow,
    bodyBytes: checked.files ? messageBytesMax : undefined,
    handle: (request: Request, context: ChannelContext) => routes.answer(request, context),
  };
}

/** @throws RejectedError when no page can ever show the message */
function deliver({ role, contact }: OutgoingMessage): void {
  if (role === 'notice')
    throw new RejectedError(
      'A web chat shows only messages of conversations. Send notices of decisions through another channel.',
    );
  if (contact === null)
    throw new RejectedError('A message without a contact cannot be shown in a web chat.');
}
