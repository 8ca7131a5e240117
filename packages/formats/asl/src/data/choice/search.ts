/**
 * Compiles a search for the first occurrence of a string, from a position. Takes time in proportion to the sum of the
 * two lengths (Knuth, Morris and Pratt); `indexOf` can take their product.
 *
 * @returns a function that returns the position, or -1
 */
export function compileSearch(wanted: string): (text: string, from: number) => number {
  // For each prefix, the longest shorter prefix that is also its end.
  const borders = new Uint32Array(wanted.length);
  for (let at = 1, matched = 0; at < wanted.length; at += 1) {
    while (matched > 0 && wanted[at] !== wanted[matched]) matched = borders[matched - 1]!;
    if (wanted[at] === wanted[matched]) matched += 1;
    borders[at] = matched;
  }
  return (text, from) => {
    if (wanted === '') return from;
    let matched = 0;
    for (let at = from; at < text.length; at += 1) {
      while (matched > 0 && text[at] !== wanted[matched]) matched = borders[matched - 1]!;
      if (text[at] === wanted[matched]) matched += 1;
      if (matched === wanted.length) return at - matched + 1;
    }
    return -1;
  };
}
