import { crc32 } from 'node:zlib';

/**
 * Computes a checksum that detects accidental changes: an incomplete write, a flipped bit. It does not protect against
 * an attacker, because anyone who can write the file can write the checksum.
 *
 * @returns 8 hexadecimal digits (CRC-32)
 */
export function checksum(text: string | Uint8Array): string {
  return crc32(text).toString(16).padStart(8, '0');
}
