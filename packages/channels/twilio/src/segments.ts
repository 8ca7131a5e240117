/** Characters that take one septet, and those that take two. Spec: 3GPP TS 23.038, section 6.2.1 */
const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const extended = new Set('\f^{}\\[~]|€');

/** Whether an SMS with the text is sent in the 7-bit alphabet. A single other character makes all of it UCS-2. */
export function isGsm7(text: string): boolean {
  for (const character of text) if (!basic.has(character) && !extended.has(character)) return false;
  return true;
}

/** Septets of a text in the 7-bit alphabet. */
export function septets(text: string): number {
  let count = 0;
  for (const character of text) count += extended.has(character) ? 2 : 1;
  return count;
}

/** Septets, or UTF-16 units, of one segment of a long SMS. */
const perSegment = { gsm7: 153, ucs2: 67 };

/** More segments are often not delivered. Spec: Twilio, "SMS character limits" */
const segmentsMax = 10;

/** Units of a WhatsApp message. Spec: Twilio, error 21617 */
const longestWhatsApp = 1_600;

/** The maximum length of one message with the text, and its unit. */
export function limitOf(text: string, isWhatsApp: boolean) {
  if (isWhatsApp) return { max: longestWhatsApp };
  return isGsm7(text)
    ? { max: segmentsMax * perSegment.gsm7, sizeOf: septets }
    : { max: segmentsMax * perSegment.ucs2 };
}
