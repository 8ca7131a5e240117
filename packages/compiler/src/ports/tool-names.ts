/** The tools that an agent may use, by name or by a pattern such as `delete_*`. */
export interface ToolNames {
  /** All tools when absent. */
  readonly allowed?: readonly string[] | undefined;
  readonly denied: readonly string[];
}

/** Whether an agent may use a tool: it is among the allowed ones and not among the denied ones. */
export function mayUseTool({ allowed, denied }: ToolNames, tool: string): boolean {
  const isAmong = (patterns: readonly string[]) =>
    patterns.some((pattern) => matchesToolName(pattern, tool));
  return (allowed === undefined || isAmong(allowed)) && !isAmong(denied);
}

/** Whether a name of a definition means more than the tool of that name: `*` stands for any characters. */
export function isToolPattern(name: string): boolean {
  return name.includes('*');
}

function matchesToolName(pattern: string, tool: string): boolean {
  if (!isToolPattern(pattern)) return pattern === tool;
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop() ?? '';
  if (tool.length < first.length + last.length) return false;
  if (!tool.startsWith(first) || !tool.endsWith(last)) return false;
  const end = tool.length - last.length;
  let at = first.length;
  // The first occurrence is the best: a later one only leaves less text for the other parts.
  for (const part of rest) {
    const found = tool.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
