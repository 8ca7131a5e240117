/**
 * The function that a tag of CloudFormation means: `!Sub` is `Fn::Sub`, `!Ref` is `Ref`. Other tools have tags of the same form,
 * so every tag with one `!` and a word counts.
 */
export function functionOfTag(tag: string | undefined): string | undefined {
  const name = tag === undefined ? undefined : /^!([A-Za-z]\w*)$/.exec(tag)?.[1];
  if (name === undefined) return undefined;
  return name === 'Ref' || name === 'Condition' ? name : `Fn::${name}`;
}
