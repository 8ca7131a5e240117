/** Longer values are not tokens. Base64 of 256 bits has 43 characters; signed tokens of identity providers are longer. */
const longestToken = 4_096;

const bearer = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * The token of an `Authorization` header; undefined for other schemes and malformed values. Two headers arrive as one value
 * with a comma, which is malformed. Spec: RFC 6750, section 2.1
 */
export function bearerIn(header: string): string | undefined {
  if (header.length > longestToken) return undefined;
  return bearer.exec(header)?.[1];
}
