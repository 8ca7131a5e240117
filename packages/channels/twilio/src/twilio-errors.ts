import { deliveryError, type ProviderAnswer } from '@dramaturg/host/channel';

/** Codes about the sender or the account: another attempt can succeed once they are put in order. Spec: Twilio, "Error codes" */
const codesOfSender: readonly number[] = [
  20_003, 20_404, 20_429, 21_212, 21_603, 21_606, 21_620, 21_660, 21_701, 21_703, 21_705,
];

/** The error of an answer of the API. Spec: Twilio, "Twilio's response", `code` and `message` */
export function errorOf(
  { status, headers }: ProviderAnswer,
  body: Readonly<Record<string, unknown>> | undefined,
): Error {
  const { code, message } = body ?? {};
  const reason = typeof message === 'string' ? message.replace(/\.$/, '') : undefined;
  const isOfSender = typeof code === 'number' && codesOfSender.includes(code);
  return deliveryError({
    provider: 'Twilio',
    status,
    headers,
    reason: typeof code === 'number' ? `${reason ?? 'error'} (${code})` : reason,
    ...(isOfSender && { isFinal: false }),
  });
}
