/** Functions that channels share, for authors of channels. Spec: docs/channels.md */
export {
  askProvider,
  deliveryError,
  type Failure,
  type FileRequest,
  jsonObjectIn,
  loadFile,
  type ProviderAnswer,
  retryAfter,
} from './provider-request.ts';
export {
  acknowledged,
  type Attachment,
  contentOf,
  type InboundMessage,
  receiveMessage,
  type ReceiveOptions,
  refused,
} from './receive-message.ts';
export { receiveEdited } from './receive-edited.ts';
export { lastLine } from '../../host/last-line.ts';
export { messageIdOf } from '../../host/message-id.ts';
export { type Rest, restOf } from '../../host/rest.ts';
export { reportDelivery } from './report-delivery.ts';
export { type ChannelHost, isHttpChannel } from '../http-channel.ts';
export { emailAddress, telephoneNumber } from '../../contact.ts';
export { pageName } from '../store-channels.ts';
export { SentParts } from './sent-parts.ts';
export { usualQuietWindow } from '../channel.ts';
export { hmac, isRecent, isSameText, toleranceSeconds } from './signatures.ts';
export { eventStreamType, sseResponse } from '../sse-response.ts';
export { splitText, type TextLimit, utf16Units, utf8Bytes } from './split-text.ts';
