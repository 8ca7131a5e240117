/** What channels have in common, for authors of channels. Spec: docs/channels.md */
export {
  askProvider,
  deliveryError,
  type Failure,
  jsonObjectIn,
  type ProviderAnswer,
  retryAfter,
} from './provider-request.ts';
export {
  acknowledged,
  type Attachment,
  type InboundMessage,
  receiveMessage,
  refused,
} from './receive-message.ts';
export { reportDelivery } from './report-delivery.ts';
export { type ChannelHost, isHttpChannel } from '../http-channel.ts';
export { emailAddress, telephoneNumber } from '../../contact.ts';
export { SentParts } from './sent-parts.ts';
export { usualQuietWindow } from '../channel.ts';
export { hmac, isRecent, isSameText, toleranceSeconds } from './signatures.ts';
export { eventStreamType, sseResponse } from '../sse-response.ts';
export { splitText, type TextLimit, utf16Units, utf8Bytes } from './split-text.ts';
