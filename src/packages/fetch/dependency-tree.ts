import semver from 'semver';
import type { Need } from './package-needs.ts';

/** A package in the tree; the root is the hook package itself. */
export interface TreeNode {
  /** Its folder below the root, such as `node_modules/a/node_modules/b`. */
  readonly place: string;
  readonly name: string;
  readonly parent?: TreeNode;
  readonly children: Map<string, PlacedNode>;
}

/** A package whose version was chosen. */
export type PlacedNode = TreeNode & { readonly version: string; readonly parent: TreeNode };

/** A tree that holds the package itself alone. */
export function plantTree(): TreeNode {
  return { place: '', name: '', children: new Map() };
}

/** Whether Node.js, looking upwards from a package, would find a version that fits. */
export function isMet(from: TreeNode, { name, range }: Need): boolean {
  for (let node: TreeNode | undefined = from; node !== undefined; node = node.parent) {
    const child = node.children.get(name);
    // What is no range is a tag, which says nothing of versions.
    if (child !== undefined)
      return semver.satisfies(child.version, range) || semver.validRange(range) === null;
  }
  return false;
}

/** Where a package that `from` needs would stand: as high up as it goes, as npm has it. */
export function placeFor(from: TreeNode, name: string): { parent: TreeNode; place: string } {
  const root = rootOf(from);
  const parent = root.children.has(name) ? from : root;
  return { parent, place: `${parent.place}${parent.place === '' ? '' : '/'}node_modules/${name}` };
}

/** Puts a package where one that needs it finds it. */
export function addTo(from: TreeNode, name: string, version: string): PlacedNode {
  const node = { ...placeFor(from, name), name, version, children: new Map() };
  node.parent.children.set(name, node);
  return node;
}

/** Takes out every package that is not to be kept, and names it; where one goes, all below it go with it. */
export function takeOut(
  from: TreeNode,
  isKept: (node: PlacedNode) => boolean,
): readonly PlacedNode[] {
  const out: PlacedNode[] = [];
  const visit = (parent: TreeNode): void => {
    for (const node of parent.children.values()) {
      if (isKept(node)) visit(node);
      else {
        parent.children.delete(node.name);
        out.push(node);
      }
    }
  };
  visit(rootOf(from));
  return out;
}

function rootOf(node: TreeNode): TreeNode {
  return node.parent === undefined ? node : rootOf(node.parent);
}
