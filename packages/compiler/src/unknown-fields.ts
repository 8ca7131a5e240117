import { nearestName } from './did-you-mean.ts';

/** More names than this are not listed. */
const mostListed = 20;

/**
 * Sentences about the fields of an object that are not known, one for each: the path, the name that was probably meant,
 * and the known names.
 *
 * @param path where the object is, such as `life`; the fields of the outermost object have no path
 */
export function unknownFields(given: object, known: readonly string[], path = ''): string[] {
  return Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const at = path === '' ? name : `${path}.${name}`;
      const nearest = nearestName(name, known);
      const meant = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
      const rest = known.length > mostListed ? ' and others' : '';
      const listed = known.slice(0, mostListed).join(', ') || 'no fields';
      return `${JSON.stringify(at)} is unknown.${meant} Known: ${listed}${rest}.`;
    });
}
