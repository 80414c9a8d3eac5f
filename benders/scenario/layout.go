package scenario

// The scenarios of a program are in chunks of neighbours. How many chunks there are, and how many of them are solved
// side by side, depends on the number of scenarios alone, so that a result depends on neither threads nor processes.

const (
	// minChunks is the number of chunks of a program with that many scenarios or more.
	minChunks = 64

	// chunkScenarios is how many scenarios a chunk has at least where there are more than minChunks chunks: chunks of
	// 20 in place of 156 took 1.24 times the processor time on r04.4 with 10,000 scenarios, since each begins anew.
	chunkScenarios = 256

	// maxChunks is the greatest number of chunks, and so of linear programs that are kept.
	maxChunks = 1024
)

// manyScenarios is how many a program has at least whose relaxation is first solved for few of them, and whose chunks
// are all solved side by side.
const manyScenarios = 256

// ChunksOf returns the number of chunks of a program with n scenarios.
func ChunksOf(n int) int {
	return min(n, max(minChunks, min(n/chunkScenarios, maxChunks)))
}

// waveOf returns how many chunks of a program with n scenarios are solved side by side, before the engine looks whether
// what they found is enough. Few scenarios stop early more often; for many of them a look in between saves no time.
func waveOf(n int) int {
	if n < manyScenarios {
		return params.smallWave
	}
	return maxChunks
}

// coarseStep is the distance between two chunks whose first scenarios are those of the coarse relaxation: there are
// minChunks of these or a few more, whatever the number of chunks is.
func coarseStep(chunks int) int { return max(1, chunks/minChunks) }
