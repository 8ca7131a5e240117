/** A header of a message, as the mail service lists them: the ones that it has written itself come first. */
export interface Header {
  readonly Name: string;
  readonly Value: string;
}

/**
 * Whether the mail service has verified that a message comes from the domain of its author. The sender of a message can write headers
 * with the names of those that are read here, so a name that occurs twice says nothing.
 *
 * @param author in its canonical form
 * @param authservId whose `Authentication-Results` count. The service removes others with its name. Spec: RFC 8601, section 5
 */
export function isSenderVerified(
  headers: readonly Header[],
  author: string,
  authservId: string | undefined,
): boolean {
  const domain = author.slice(author.lastIndexOf('@') + 1);
  const valuesOf = (name: string) =>
    headers.filter((each) => each.Name.toLowerCase() === name).map(({ Value }) => Value);
  if (authservId !== undefined) {
    const results = valuesOf('authentication-results').map(resultsIn);
    const own = results.find(([id]) => id?.[0] === authservId.toLowerCase());
    return own !== undefined && isAuthentic(own.slice(1), domain);
  }
  const [tests, ...otherTests] = valuesOf('x-spam-tests');
  const [spf, ...otherSpf] = valuesOf('received-spf');
  // A valid signature of the domain of the author. Spec: SpamAssassin, Mail::SpamAssassin::Plugin::DKIM
  const isSigned = tests?.split(',').some((test) => test.trim() === 'DKIM_VALID_AU') === true;
  if (isSigned && otherTests.length === 0) return true;
  // Spec: RFC 7208, section 9.1
  const [result, ...fields] = withoutFreeText(spf ?? '')
    .toLowerCase()
    .split(/[\s;]+/);
  const [sender, ...otherSenders] = fields.filter((field) => field.startsWith('envelope-from='));
  const isOne = otherSpf.length === 0 && otherSenders.length === 0;
  return result === 'pass' && isOne && isAligned(sender, domain);
}

/** The words of each result; the first result is the name of the service. Spec: RFC 8601, section 2.2 */
function resultsIn(value: string): readonly (readonly string[])[] {
  const results = withoutFreeText(value).toLowerCase().split(';');
  return results.map((result) =>
    result
      .replace(/\s*=\s*/g, '=')
      .trim()
      .split(/\s+/),
  );
}

/** Spec: RFC 7489, section 3.1 */
function isAuthentic(results: readonly (readonly string[])[], domain: string): boolean {
  const has = (result: string, ...properties: readonly string[]) =>
    results.some(
      ([first, ...rest]) =>
        first === result &&
        rest.some(
          (word) =>
            properties.some((name) => word.startsWith(`${name}=`)) && isAligned(word, domain),
        ),
    );
  if (results.some(([first]) => first === 'dmarc=fail')) return false;
  return (
    has('dmarc=pass', 'header.from') ||
    has('dkim=pass', 'header.d', 'header.i') ||
    has('spf=pass', 'smtp.mailfrom')
  );
}

/** Whether a property, such as `header.d=example.org`, names the domain or one above it. */
function isAligned(property: string | undefined, domain: string): boolean {
  const name = property?.slice(property.lastIndexOf('=') + 1).replace(/^.*@|[<>]/g, '') ?? '';
  return name === domain || (name.includes('.') && domain.endsWith(`.${name}`));
}

/** Leaves out comments and quoted strings, in which a sender can write anything. Spec: RFC 5322, section 3.2 */
function withoutFreeText(value: string): string {
  let [plain, depth, isQuoted] = ['', 0, false];
  for (let index = 0; index < value.length; index += 1) {
    const character = value[index]!;
    if (character === '\\') index += 1;
    else if (character === '"' && depth === 0) isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (depth === 0) plain += character;
  }
  return isQuoted || depth !== 0 ? '' : plain;
}
