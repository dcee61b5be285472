/**
 * The part of the YAML library that edits documents, by name: loaded as a whole from inside a bundle, its
 * names would be lost.
 *
 * @module
 */

export { isMap, isNode, isPair, isScalar, isSeq, parse, parseDocument } from "yaml";
