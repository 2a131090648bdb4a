/** Rewrites the `nullable` of OpenAPI 3.0, in which request classes are described, as the null type of 3.1. */
export function withNullTypes(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withNullTypes);
  if (node === null || typeof node !== 'object') return node;
  const members = Object.fromEntries(Object.entries(node).map(([name, each]) => [name, withNullTypes(each)]));
  if (members['nullable'] !== true) return members;
  const { nullable: _, ...given } = members;
  if (typeof given['type'] === 'string' && !('enum' in given))
    return { ...given, type: [given['type'], 'null'] };
  const { description, ...schema } = given;
  return { anyOf: [schema, { type: 'null' }], ...(description !== undefined && { description }) };
}
