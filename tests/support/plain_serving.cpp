#include "tests/support/plain_serving.h"

#include <algorithm>
#include <list>
#include <map>

namespace kb::test {
namespace {

// The free blocks in the order in which they are taken, and for every block its users and its content.
struct PlainBlocks {
  explicit PlainBlocks(std::int64_t count) : users(static_cast<std::size_t>(count)), content(users.size(), -1) {
    for (int i = 0; i < count; ++i) queue.push_back(i);
  }
  int take() {
    const int block = queue.front();
    queue.pop_front();
    const auto at = static_cast<std::size_t>(block);
    if (where.count(content[at]) != 0 && where[content[at]] == block) where.erase(content[at]);
    content[at] = -1;
    users[at] = 1;
    return block;
  }
  void give_back(const std::vector<int>& blocks) {
    for (std::size_t i = blocks.size(); i-- > 0;) {
      if (--users[static_cast<std::size_t>(blocks[i])] == 0) queue.push_back(blocks[i]);
    }
  }
  std::list<int> queue;
  std::vector<int> users;
  std::vector<std::int64_t> content;
  std::map<std::int64_t, int> where;  // content -> block
};

struct PlainJob {
  std::int64_t tokens = 0;  // input and outputs so far
  std::int64_t computed = 0;
  std::vector<int> blocks;
  bool resumed = false;
};

class PlainServer {
 public:
  PlainServer(const std::vector<PlainRequest>& requests, const PlainSettings& settings)
      : requests_(requests), s_(settings), blocks_(settings.blocks), jobs_(requests.size()) {
    served_.token_times.resize(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i) jobs_[i].tokens = requests[i].input;
  }

  PlainServed run(const std::function<std::int64_t(const PlainBatch&)>& time_of) {
    std::vector<int> order;
    for (std::size_t i = 0; i < requests_.size(); ++i) order.push_back(static_cast<int>(i));
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return request(a).arrival < request(b).arrival; });
    std::int64_t now = 0;
    std::size_t arrived = 0;
    while (arrived < order.size() || !running_.empty() || !waiting_.empty()) {
      if (running_.empty() && waiting_.empty()) now = std::max(now, request(order[arrived]).arrival);
      for (; arrived < order.size() && request(order[arrived]).arrival <= now; ++arrived)
        waiting_.push_back(order[arrived]);
      const PlainBatch batch = plan();
      served_.batches.push_back(batch);
      now += time_of(batch);
      end_step(batch, now);
    }
    return served_;
  }

 private:
  const PlainRequest& request(int id) const { return requests_[static_cast<std::size_t>(id)]; }
  PlainJob& job(int id) { return jobs_[static_cast<std::size_t>(id)]; }
  std::int64_t blocks_of(std::int64_t tokens) const { return tokens / s_.block_size + (tokens % s_.block_size != 0); }

  PlainBatch plan() {
    PlainBatch batch;
    std::int64_t left = s_.max_tokens;
    bool preempted = false;
    for (auto it = running_.begin(); it != running_.end() && left > 0;) {
      const int id = *it;
      const std::int64_t wanted = std::min(left, job(id).tokens - job(id).computed);
      bool gone = false;
      while (!gone && blocks_of(job(id).computed + wanted) > held(id) + free()) {
        const int victim = running_.back();
        gone = victim == id;
        if (gone) it = running_.end();
        running_.pop_back();
        drop(victim);
        preempted = true;
      }
      if (gone) break;
      compute(id, wanted, batch);
      left -= wanted;
      ++it;
    }
    while (!preempted && !waiting_.empty() && left > 0 && static_cast<std::int64_t>(running_.size()) < s_.max_seqs) {
      if (!admit(waiting_.front())) break;
      const int id = waiting_.front();
      waiting_.pop_front();
      running_.push_back(id);
      const std::int64_t wanted = std::min(left, job(id).tokens - job(id).computed);
      compute(id, wanted, batch);
      left -= wanted;
    }
    return batch;
  }

  std::int64_t free() const { return static_cast<std::int64_t>(blocks_.queue.size()); }
  std::int64_t held(int id) { return static_cast<std::int64_t>(job(id).blocks.size()); }

  void drop(int id) {
    blocks_.give_back(job(id).blocks);
    job(id).blocks.clear();
    job(id).computed = 0;
    job(id).resumed = true;
    ++served_.preemptions;
    waiting_.push_front(id);
  }

  bool admit(int id) {
    std::vector<int> hits;
    for (const std::int64_t content : request(id).contents) {
      const auto count = static_cast<std::int64_t>(hits.size());
      const bool last_token = (count + 1) * s_.block_size > job(id).tokens - 1;
      if (!s_.prefix_cache || last_token || blocks_.where.count(content) == 0) break;
      hits.push_back(blocks_.where[content]);
    }
    std::int64_t free_hits = 0;
    for (const int block : hits) {
      free_hits += std::count(blocks_.queue.begin(), blocks_.queue.end(), block);
    }
    const auto count = static_cast<std::int64_t>(hits.size());
    if (blocks_of(job(id).tokens) > count + free() - free_hits) return false;
    for (const int block : hits) {
      blocks_.queue.remove(block);
      ++blocks_.users[static_cast<std::size_t>(block)];
    }
    job(id).blocks = hits;
    job(id).computed = count * s_.block_size;
    (job(id).resumed ? served_.recomputed : served_.hit_tokens) +=
        job(id).resumed ? job(id).tokens - job(id).computed : job(id).computed;
    return true;
  }

  void compute(int id, std::int64_t tokens, PlainBatch& batch) {
    batch.emplace_back(id, tokens, job(id).computed);
    job(id).computed += tokens;
    while (held(id) < blocks_of(job(id).computed)) job(id).blocks.push_back(blocks_.take());
    if (!s_.prefix_cache) return;
    const std::vector<std::int64_t>& contents = request(id).contents;
    for (std::size_t i = 0; i < contents.size(); ++i) {
      const bool full = static_cast<std::int64_t>(i + 1) * s_.block_size <= job(id).computed;
      const bool was_full = static_cast<std::int64_t>(i + 1) * s_.block_size <= job(id).computed - tokens;
      if (!full || was_full) continue;
      blocks_.content[static_cast<std::size_t>(job(id).blocks[i])] = contents[i];
      blocks_.where[contents[i]] = job(id).blocks[i];
    }
  }

  void end_step(const PlainBatch& batch, std::int64_t now) {
    for (const auto& [id, tokens, past] : batch) {
      if (job(id).computed < job(id).tokens) continue;
      ++job(id).tokens;
      served_.token_times[static_cast<std::size_t>(id)].push_back(now);
      if (job(id).tokens < request(id).input + request(id).output) continue;
      blocks_.give_back(job(id).blocks);
      running_.remove(id);
    }
  }

  const std::vector<PlainRequest>& requests_;
  PlainSettings s_;
  PlainBlocks blocks_;
  std::vector<PlainJob> jobs_;
  std::list<int> running_, waiting_;
  PlainServed served_;
};

}  // namespace

PlainServed serve_plainly(const std::vector<PlainRequest>& requests, const PlainSettings& settings,
                          const std::function<std::int64_t(const PlainBatch&)>& time_of) {
  return PlainServer(requests, settings).run(time_of);
}

}  // namespace kb::test
