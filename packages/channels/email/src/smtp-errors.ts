import { RejectedError } from '@dramaturg/host';

/** The part of a server's answer that says why. */
const longestReason = 300;

/** The error that tells the host whether a message can be sent again. Spec: RFC 5321, section 4.2.1 */
export function errorOf(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const { code, response, responseCode, command } = error as Error & {
    readonly code?: string;
    readonly response?: string;
    readonly responseCode?: number;
    readonly command?: string;
  };
  const answer = response?.slice(0, longestReason) ?? error.message.slice(0, longestReason);
  const message = `The mail server said: ${answer}`;
  // 5yz about the recipient or the content is permanent. About the sender or the login, it is not about the message.
  const isAboutMessage = ['RCPT TO', 'DATA'].includes(command ?? '') || code === 'EMESSAGE';
  const isFinal = responseCode !== undefined && responseCode >= 500 && isAboutMessage;
  return isFinal ? new RejectedError(message) : new Error(message, { cause: error });
}
