// Parses PromQL with Prometheus' own grammar. Reads a JSON array of expressions from stdin; prints, for each, the names
// of the metrics in it, or exits with 1 and says which expression is none.
import { parser } from '@prometheus-io/lezer-promql';

const expressions = JSON.parse(await new Promise((resolve) => {
    let text = '';
    process.stdin.on('data', (piece) => (text += piece)).on('end', () => resolve(text));
}));
const names = expressions.map((expression) => {
    const found = [];
    parser.parse(expression).iterate({
        enter(node) {
            if (node.type.isError) {
                console.error(`not PromQL at ${node.from}: ${expression}`);
                process.exit(1);
            }
            if (node.name === 'VectorSelector') {
                const name = node.node.getChild('Identifier');
                if (name) found.push(expression.slice(name.from, name.to));
            }
        },
    });
    return found;
});
console.log(JSON.stringify(names));
