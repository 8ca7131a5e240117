import { crc32 } from 'node:zlib';

/**
 * Tells a text that was stored from one that is not quite it any more: a part that did not reach the device, a bit that
 * changed there. No protection against someone who means harm: whoever can write the file can write the sum.
 *
 * @returns 8 hexadecimal digits (CRC-32)
 */
export function checksum(text: string | Uint8Array): string {
  return crc32(text).toString(16).padStart(8, '0');
}
